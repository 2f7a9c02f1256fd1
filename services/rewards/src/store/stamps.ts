import { addTo } from "#domain";
import type {
  Cashback,
  CashbackSource,
  CashbackState,
  Redemption,
  Reward,
  RewardTransaction,
  Stamp,
} from "#domain/rewards";
import { type Fragment, type Sql, type Transaction, utc } from "#postgres";

/** The live stamps of collections by id, each oldest first. */
type StampsByCollection = ReadonlyMap<string, readonly Stamp[]>;

type TransactionsById = ReadonlyMap<string, RewardTransaction>;

export interface StampRow {
  readonly id: string;
  readonly stampCollectionId: string;
  readonly position: number;
  readonly createdAt: string;
  readonly purchaseAmount: number | null;
  readonly currency: string | null;
  readonly reward: Reward | null;
  readonly redemptionId: string | null;
  readonly transactionId: string;
  readonly ref: string;
  readonly state: RewardTransaction["state"];
  readonly settledOrder: number | null;
  readonly transactionAmount: number | null;
  readonly transactionCurrency: string | null;
}

/**
 * Stamps of locked collections: the unredeemed ones, or only the reverted ones among them if these are enough; all stamps of each
 * pending redemption with a settled transaction; and the stamps of the given transactions. Each has its transaction as stored, and
 * may come twice.
 *
 * The counter ends the walk over a collection: there are no more unredeemed stamps. The stamp of a transaction in a collection that is
 * not locked may come too, and is not used: it is not filtered out, because servers before PostgreSQL 17 look up two lists in one
 * index condition as their product. The stamps of redemptions are looked up by their ids, as an array: no index knows which redemption
 * holds a stamp, and with a join the planner might read the whole table. A limit keeps it from reading all of a member's transactions
 * for one. So thousands of pending redemptions cost look-ups, but return no rows.
 * @param whole the collections of which all unredeemed stamps are needed; all with pending redemptions are among them
 */
export function loadStamps(
  sql: Transaction,
  collections: ReadonlyArray<{ readonly id: string; readonly unredeemedPurchases: number }>,
  whole: ReadonlySet<object>,
  transactions: TransactionsById,
): Promise<readonly StampRow[]> {
  const columnsOf = (some: typeof collections) =>
    [some.map(({ id }) => id), some.map(({ unredeemedPurchases }) => unredeemedPurchases)] as const;
  const [wholeIds, wholeCounters] = columnsOf(collections.filter((collection) => whole.has(collection)));
  const [otherIds, otherCounters] = columnsOf(collections.filter((collection) => !whole.has(collection)));
  return sql<StampRow[]>`
    with settled as materialized (
      select q.id, q.redemption_id
      from stamp_collections c
      cross join lateral (select * from qualifying_purchases where id = any(array(${stampsOfPending(sql)}))) q
      cross join lateral (${transactionOfMember(sql)} and state <> 'authorized' limit 1) t
      where c.id = any(${wholeIds}::uuid[])
      union all
      select q.id, q.redemption_id
      from unnest(${otherIds}::uuid[], ${otherCounters}::int[]) as collection (id, unredeemed)
      join stamp_collections c on c.id = collection.id
      cross join lateral (${unredeemedStamps(sql)}) q
      cross join lateral (${transactionOfMember(sql)} and state = 'reverted' limit 1) t
    )
    select ${stampColumns(sql)}
    from unnest(${wholeIds}::uuid[], ${wholeCounters}::int[]) as collection (id, unredeemed)
    cross join lateral (${unredeemedStamps(sql)}) q
    ${transactionOfStamp(sql)}
    union all
    select ${stampColumns(sql)}
    from qualifying_purchases q
    ${transactionOfStamp(sql)}
    where q.transaction_id = any(${[...transactions.keys()]}::uuid[]) and q.voided_at is null
      and (q.redemption_id is not null or not ${otherIds.length === 0}::boolean)
    union all
    select ${stampColumns(sql)}
    from qualifying_purchases q
    ${transactionOfStamp(sql)}
    where q.voided_at is null and q.id = any(array(
      select id from settled
      union all
      select unnest(stamp_ids) from redemptions where id = any(array(select redemption_id from settled))
    ))`.send();
}

/** The unredeemed stamps of `collection (id, unredeemed)`, newest first. */
export function unredeemedStamps(sql: Sql): Fragment {
  return sql`
    select * from qualifying_purchases
    where stamp_collection_id = collection.id and redemption_id is null and voided_at is null
    order by position desc
    limit collection.unredeemed`;
}

/** The stamps that the pending redemptions of `stamp_collections c` hold. */
export function stampsOfPending(sql: Sql): Fragment {
  return sql`
    select unnest(stamp_ids) from redemptions where stamp_collection_id = c.id and id = any(c.pending_redemptions)`;
}

/** The transaction of the stamp `q`, by the index of members' transactions: uuids compare faster than the key's text. */
function transactionOfMember(sql: Sql): Fragment {
  return sql`select from transactions where member_id = c.member_id and id = q.transaction_id`;
}

/**
 * @param rows may have a stamp twice
 * @param transactions of the batch: all stamps of one share its object
 */
export function groupStamps(rows: readonly StampRow[], transactions: TransactionsById): StampsByCollection {
  const stamps = new Map<string, Stamp[]>();
  const seen = new Set<string>();
  for (const row of rows) {
    if (seen.has(row.id)) continue;
    seen.add(row.id);
    addTo(stamps, row.stampCollectionId, toStamp(row, transactions));
  }
  for (const group of stamps.values()) group.sort((a, b) => a.position - b.position);
  return stamps;
}

function toStamp(row: StampRow, transactions: TransactionsById): Stamp {
  return {
    id: row.id,
    transaction: transactions.get(row.transactionId) ?? transactionOf(row),
    createdAt: row.createdAt,
    position: row.position,
    purchaseAmount: row.purchaseAmount,
    currency: row.currency,
    reward: row.reward,
    redemptionId: row.redemptionId,
  };
}

/** The transaction that was read with a stamp. */
export function transactionOf(row: StampRow): RewardTransaction {
  return {
    id: row.transactionId,
    ref: row.ref,
    state: row.state,
    settledOrder: row.settledOrder,
    amount: row.transactionAmount,
    currency: row.transactionCurrency,
  };
}

function stampColumns(sql: Sql): Fragment {
  return sql`
    q.id, q.stamp_collection_id as "stampCollectionId", q.position, ${utc(sql, "q.created_at")} as "createdAt",
    q.purchase_amount as "purchaseAmount", q.currency, q.reward_config as reward, q.redemption_id as "redemptionId",
    q.transaction_id as "transactionId", q.transaction_ref as ref, t.state,
    t.settled_order as "settledOrder", t.amount as "transactionAmount", t.currency as "transactionCurrency"`;
}

function transactionOfStamp(sql: Sql): Fragment {
  return sql`
    join transactions t on t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref`;
}

/** A cashback as the reward rules see it, with its source spread out. */
export interface LoadedCashback {
  readonly id: string;
  readonly organisationId: string;
  readonly transactionId: string;
  readonly transactionRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: CashbackState;
  readonly clipId: string | null;
  readonly dealId: string | null;
  readonly loyaltyProgramId: string | null;
  readonly stampCollectionId: string | null;
  readonly redemptionId: string | null;
}

/** The columns of a `LoadedCashback`, of `cashbacks c`. */
export function loadedCashbackColumns(sql: Sql): Fragment {
  return sql`
    c.id, c.organisation_id as "organisationId", c.transaction_id as "transactionId",
    c.transaction_ref as "transactionRef", c.amount, c.currency, c.state, c.clip_id as "clipId",
    c.deal_id as "dealId", c.loyalty_program_id as "loyaltyProgramId",
    c.stamp_collection_id as "stampCollectionId", c.redemption_id as "redemptionId"`;
}

export function toRewardCashback(row: LoadedCashback): Cashback {
  return {
    id: row.id,
    transactionId: row.transactionId,
    transactionRef: row.transactionRef,
    amount: row.amount,
    currency: row.currency,
    state: row.state,
    source: toSource(row),
  };
}

/**
 * Whether a reversal opens the redeemed clip `own` again: the member has not saved the deal once more. The database's times tell
 * the order of clips; their ids do not, because each edge makes them by its own clock. An open clip is always the later one.
 */
export function isLatestClip(sql: Sql): Fragment {
  return sql`not exists (
    select from clips other
    where other.member_id = own.member_id and other.deal_id = own.deal_id and other.id <> own.id
      and (other.redeemed_at is null or (other.created_at, other.id) > (own.created_at, own.id))
  )`;
}

/** A check constraint allows these two forms only. */
function toSource(row: LoadedCashback): CashbackSource {
  if (row.clipId !== null) return { type: "clip", clipId: row.clipId, dealId: row.dealId as string };
  return {
    type: "loyalty-program-redemption",
    loyaltyProgramId: row.loyaltyProgramId as string,
    stampCollectionId: row.stampCollectionId as string,
    redemptionId: row.redemptionId as string,
  };
}

/** A redemption, and its cashback if it has one. */
type RedemptionRow = { readonly [Column in keyof LoadedCashback]: LoadedCashback[Column] | null } & {
  readonly redemptionId: string;
  readonly redeemedBy: string;
  readonly isPending: boolean;
};

/** Standing redemptions by id. */
export async function loadRedemptions(
  sql: Transaction,
  ids: readonly string[],
): Promise<Map<string, Redemption>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<RedemptionRow[]>`
    select ${loadedCashbackColumns(sql)}, r.id as "redemptionId", r.transaction_id as "redeemedBy",
           r.id = any(s.pending_redemptions) as "isPending"
    from redemptions r
    join stamp_collections s on s.id = r.stamp_collection_id
    left join cashbacks c on c.redemption_id = r.id
    where r.id = any(${[...new Set(ids)]}::uuid[]) and r.undone_at is null`;
  return new Map(rows.map((row) => [row.redemptionId, toRedemption(row)]));
}

function toRedemption(row: RedemptionRow): Redemption {
  return {
    id: row.redemptionId,
    transactionId: row.redeemedBy,
    isPending: row.isPending,
    cashback: row.id === null ? null : toRewardCashback(row as LoadedCashback),
  };
}
