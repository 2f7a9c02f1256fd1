import type { Fragment, Sql, Transaction } from "#postgres";

/** Some neighbouring blocks of the table `transactions`: from the first, included, to the last, excluded. */
export interface Blocks {
  readonly from: number;
  readonly to: number;
}

/** The tables that retention removes rows of. */
export const RETENTION_TABLES = ["transactions", "qualifying_purchases", "redemptions", "cashbacks"] as const;

/** What one step came to. */
export interface Removed {
  /** Rows that left. */
  readonly rows: Readonly<Record<(typeof RETENTION_TABLES)[number], number>>;
  /** Transactions as old as those that left, and that stay. */
  readonly kept: number;
  /** When the oldest of these was authorized. */
  readonly oldestAt: Date | null;
}

const NOTHING = { transactions: 0, qualifying_purchases: 0, redemptions: 0, cashbacks: 0 } as const;

/**
 * Removes the transactions in some blocks that are settled and at rest since before a time, and what hangs on them (contract,
 * section 12; decision 38): one small database transaction, to be called in one that does nothing else but move the place.
 *
 * Settled is one whose state is final. It is at rest when nothing that it has earned can change any more: each stamp is voided, or held by a redemption
 * whose cashback has cleared, and no cashback is pending. Once so, it is so for ever. It leaves when that has been so since
 * before the time, with its authorization and its last change. Of what it has earned,
 * - the cashback of a clip leaves with it;
 * - a redemption leaves whole, with its stamps and its cashback, when the last of its transactions leaves, and with those that
 *   it shares a stamp with;
 * - a stamp leaves with it if no redemption that stays has ever taken it.
 * So whatever is seen is complete in itself; a stamp or a cashback may name a transaction that is gone.
 *
 * Locks: it waits for nobody who could wait for it. Transactions and collections that somebody else holds are left to the next
 * round. Whoever wants the rows that are locked here finds them gone. An outcome that is about one of them waits, and is of an
 * unknown transaction then; so stamps and cashbacks are looked at again when the transactions are locked.
 * @param before a timestamptz as text; nothing that was authorized at it or later is touched
 */
export async function removeSettled(sql: Transaction, blocks: Blocks, before: string): Promise<Removed> {
  const old = await findOld(sql, blocks, before);
  const gone = await removeAtRest(sql, old, before);
  const stay = old.filter(({ id }) => !gone.ids.has(id));
  const oldest = stay.reduce<Date | null>(
    (first, { authedAt }) => (first === null || authedAt < first ? authedAt : first),
    null,
  );
  return { rows: gone.rows, kept: stay.length, oldestAt: oldest };
}

interface OldTransaction {
  readonly id: string;
  /** Where its row is. */
  readonly tid: string;
  readonly authedAt: Date;
  /** Settled, and not changed since before the time. */
  readonly isSettled: boolean;
}

/** All that were authorized before the time. No lock: most of those that stay would be locked, and so written, in each round. */
async function findOld(sql: Sql, { from, to }: Blocks, before: string): Promise<readonly OldTransaction[]> {
  return sql<OldTransaction[]>`
    select id, ctid::text as tid, authed_at as "authedAt",
           ${isFinal(sql)} and updated_at < ${before}::text::timestamptz as "isSettled"
    from transactions
    where ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid
      and authed_at < ${before}::text::timestamptz`;
}

/** An event of a member that was deleted is refused: so the state of a transaction that has none is final, whichever it is. */
function isFinal(sql: Sql): Fragment {
  return sql`(state <> 'authorized' or member_id is null)`;
}

async function removeAtRest(
  sql: Transaction,
  old: readonly OldTransaction[],
  before: string,
): Promise<{ readonly ids: ReadonlySet<string>; readonly rows: Removed["rows"] }> {
  const settled = old.filter(({ isSettled }) => isSettled);
  const seen = await findAtRest(sql, settled, before);
  // Again, now that nobody can give them anything: what came before the locks is seen by a statement after them.
  const locked = await lockSettled(sql, seen.atRest, before);
  const { atRest, stamps } = await findAtRest(sql, locked, before);
  const held = await lockCollections(sql, stamps);
  const busy = new Set(stamps.flatMap((one) => (held.has(one.collectionId) ? [] : one.transactionId)));
  const leaving = atRest.filter(({ id }) => !busy.has(id));
  if (leaving.length === 0) return { ids: new Set(), rows: NOTHING };
  const ids = new Set(leaving.map(({ id }) => id));
  const own = stamps.filter(({ transactionId }) => ids.has(transactionId));
  await deleteTransactions(sql, leaving);
  const redemptions = await deleteRedemptions(sql, own);
  const rows = {
    transactions: leaving.length,
    redemptions: redemptions.length,
    qualifying_purchases: await deleteStamps(sql, own, redemptions),
    cashbacks: await deleteCashbacks(sql, [...ids], redemptions),
  };
  return { ids, rows };
}

/** A stamp of a transaction that is at rest. */
interface RestingStamp {
  readonly id: string;
  readonly transactionId: string;
  readonly collectionId: string;
}

/** A stamp, or without an id a cashback, of a transaction. */
interface EarnedRow {
  readonly id: string | null;
  readonly transactionId: string;
  readonly collectionId: string | null;
  readonly atRest: boolean;
}

/** Which of these transactions are at rest since before the time, and their stamps. Nearly all have earned nothing. */
async function findAtRest<T extends { readonly id: string }>(
  sql: Sql,
  transactions: readonly T[],
  before: string,
): Promise<{ readonly atRest: readonly T[]; readonly stamps: readonly RestingStamp[] }> {
  if (transactions.length === 0) return { atRest: [], stamps: [] };
  const ids = transactions.map(({ id }) => id);
  // `offset 0` keeps each look-up one by its index: as joins they might be planned while the tables are new.
  const rows = await sql<EarnedRow[]>`
    select q.id, q.transaction_id as "transactionId", q.stamp_collection_id as "collectionId",
           greatest(q.created_at, q.voided_at, c.created_at, c.cleared_at, c.reverted_at)
             < ${before}::text::timestamptz
           and c.state is distinct from 'pending'
           and (q.voided_at is not null or c.state is not distinct from 'cleared') as "atRest"
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select id, transaction_id, stamp_collection_id, redemption_id, created_at, voided_at
      from qualifying_purchases where transaction_id = wanted.id offset 0
    ) as q
    left join lateral (
      select state, created_at, cleared_at, reverted_at from cashbacks where redemption_id = q.redemption_id offset 0
    ) as c on true
    union all
    select null, wanted.id, null,
           greatest(c.created_at, c.cleared_at, c.reverted_at) < ${before}::text::timestamptz and c.state <> 'pending'
    from unnest(${ids}::uuid[]) as wanted (id)
    cross join lateral (
      select state, created_at, cleared_at, reverted_at from cashbacks where transaction_id = wanted.id offset 0
    ) as c`;
  const alive = new Set(rows.flatMap(({ transactionId, atRest }) => (atRest ? [] : transactionId)));
  return {
    atRest: transactions.filter(({ id }) => !alive.has(id)),
    stamps: rows.flatMap(({ id, transactionId, collectionId }) =>
      id === null || collectionId === null || alive.has(transactionId)
        ? []
        : { id, transactionId, collectionId },
    ),
  };
}

/** Locks them until the end of the database transaction; those that somebody else holds, or has changed, are left out. */
async function lockSettled(
  sql: Transaction,
  transactions: readonly OldTransaction[],
  before: string,
): Promise<readonly { readonly id: string; readonly tid: string }[]> {
  if (transactions.length === 0) return [];
  const tids = transactions.map(({ tid }) => tid);
  const wanted = new Set(transactions.map(({ id }) => id));
  const rows = await sql<{ id: string; tid: string }[]>`
    select id, ctid::text as tid from transactions
    where ctid = any(${tids}::text[]::tid[]) and ${isFinal(sql)}
      and authed_at < ${before}::text::timestamptz and updated_at < ${before}::text::timestamptz
    for update skip locked`;
  // A place may be another row's by now.
  return rows.filter(({ id }) => wanted.has(id));
}

/** Against whoever deletes their members meanwhile, and with them the same stamps. Those that somebody holds are left out. */
async function lockCollections(
  sql: Transaction,
  stamps: readonly RestingStamp[],
): Promise<ReadonlySet<string>> {
  if (stamps.length === 0) return new Set();
  const ids = [...new Set(stamps.map(({ collectionId }) => collectionId))];
  const rows = await sql<{ id: string }[]>`
    select id from stamp_collections where id = any(${ids}::uuid[]) for no key update skip locked`;
  return new Set(rows.map(({ id }) => id));
}

async function deleteTransactions(
  sql: Transaction,
  transactions: readonly { readonly tid: string }[],
): Promise<void> {
  const tids = transactions.map(({ tid }) => tid);
  const rows = await sql`
    delete from transactions where ctid = any(${tids}::text[]::tid[]) returning 1`;
  if (rows.length !== tids.length) {
    throw new Error(`of ${tids.length} locked transactions ${rows.length} were there`);
  }
}

interface TakingRedemption {
  readonly id: string;
  readonly stampIds: readonly string[];
}

/**
 * Deletes the redemptions that have lost the last of their transactions. One that shares a stamp with another, because one of
 * them was undone, waits for that one: the stamp would stay and name a redemption that is gone.
 */
async function deleteRedemptions(
  sql: Transaction,
  stamps: readonly RestingStamp[],
): Promise<readonly TakingRedemption[]> {
  const touched = await findConnected(sql, stamps);
  if (touched.length === 0) return [];
  // As one array of ids: with a join the planner might read the whole table.
  const stay = await sql<{ id: string }[]>`
    select q.id from qualifying_purchases q
    cross join lateral (
      select from transactions t
      where t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref and t.id = q.transaction_id
      offset 0
    ) as t
    where q.id = any(${touched.flatMap(({ stampIds }) => stampIds)}::uuid[])`;
  const held = new Set(stay.map(({ id }) => id));
  let gone: readonly TakingRedemption[] = touched;
  for (let before = -1; gone.length !== before; ) {
    before = gone.length;
    gone = gone.filter(({ stampIds }) => !stampIds.some((id) => held.has(id)));
    const leaving = new Set(gone);
    for (const one of touched) if (!leaving.has(one)) for (const id of one.stampIds) held.add(id);
  }
  await sql`delete from redemptions where id = any(${gone.map(({ id }) => id)}::uuid[])`;
  return gone;
}

/** The redemptions that have taken one of these stamps, or a stamp of one that has, and so on. Nearly always each by itself. */
async function findConnected(sql: Sql, own: readonly RestingStamp[]): Promise<readonly TakingRedemption[]> {
  const found = new Map<string, TakingRedemption>();
  let stampIds = own.map(({ id }) => id);
  for (let before = -1; found.size !== before; ) {
    before = found.size;
    for (const one of await findTaking(sql, own, stampIds)) found.set(one.id, one);
    stampIds = [...found.values()].flatMap((one) => one.stampIds);
  }
  return [...found.values()];
}

/** The redemptions, undone ones among them, that have taken one of these stamps. */
async function findTaking(
  sql: Sql,
  own: readonly RestingStamp[],
  stampIds: readonly string[],
): Promise<readonly TakingRedemption[]> {
  if (stampIds.length === 0) return [];
  const collections = [...new Set(own.map(({ collectionId }) => collectionId))];
  return sql<TakingRedemption[]>`
    select r.id, r.stamp_ids as "stampIds"
    from unnest(${collections}::uuid[]) as wanted (id)
    cross join lateral (
      select id, stamp_ids from redemptions
      where stamp_collection_id = wanted.id and stamp_ids && ${[...stampIds]}::uuid[] offset 0
    ) as r`;
}

/** Deletes the stamps of these redemptions, and the transactions' own, but for those that a redemption which stays has taken. */
async function deleteStamps(
  sql: Transaction,
  own: readonly RestingStamp[],
  redemptions: readonly TakingRedemption[],
): Promise<number> {
  const ids = [...new Set([...own.map(({ id }) => id), ...redemptions.flatMap(({ stampIds }) => stampIds)])];
  const taking = await findTaking(sql, own, ids);
  const taken = new Set(taking.flatMap(({ stampIds }) => stampIds));
  const gone = ids.filter((id) => !taken.has(id));
  if (gone.length === 0) return 0;
  const rows = await sql`delete from qualifying_purchases where id = any(${gone}::uuid[]) returning 1`;
  return rows.length;
}

/**
 * Deletes the cashbacks of these redemptions, and those of these transactions that no redemption shows: of clips, and of
 * redemptions that went with their member. By id, as whoever unlinks a deleted member's.
 */
async function deleteCashbacks(
  sql: Transaction,
  transactionIds: readonly string[],
  redemptions: readonly TakingRedemption[],
): Promise<number> {
  const rows = await sql`
    with gone as materialized (
      select id from cashbacks
      where id = any(array(
        select c.id from unnest(${redemptions.map(({ id }) => id)}::uuid[]) as wanted (id)
        cross join lateral (select id from cashbacks where redemption_id = wanted.id offset 0) as c
        union all
        select c.id from unnest(${[...transactionIds]}::uuid[]) as wanted (id)
        cross join lateral (select id, redemption_id from cashbacks where transaction_id = wanted.id offset 0) as c
        left join lateral (select id from redemptions where id = c.redemption_id offset 0) as r on true
        where r.id is null
      ))
      order by id
      for update
    )
    delete from cashbacks using gone where cashbacks.id = gone.id returning 1`;
  return rows.length;
}
