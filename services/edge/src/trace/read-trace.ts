import { LIMITS } from "#contract";
import { purchaseLinks } from "#domain";
import { microsecondsSince1970, type Sql } from "#postgres";
import {
  type Cashback,
  type CashbackJson,
  firstIdAt,
  loadMemberLinks,
  type RewardedRow,
  type RewardedTransaction,
  reachableMember,
  rewardedColumns,
  toCashback,
  toRewarded,
} from "#publisher-db";
import { type Stamp, stampColumns } from "../wallet/stamps.ts";
import { readTold, type Told } from "./read-told.ts";

/*
 * Everything known of one purchase, at one moment. Nothing is stored for this: each look-up uses an index
 * that exists anyway, and if none leads to the rows, it reads a bounded number of them. (Decision 35 says
 * which.)
 */

export interface TracedRows {
  readonly transaction: TracedTransaction;
  /** By id. */
  readonly stamps: readonly TracedStamp[];
  /** Redemptions that took one of the stamps, oldest first. */
  readonly redemptions: readonly TracedRedemption[];
  /** The member's, in their present state. */
  readonly links: readonly TracedLink[];
  /** What webhooks are told of all this. */
  readonly told: Told;
  /** Its events with ignored fields, newest first. */
  readonly ignored: readonly TracedIgnored[];
}

/** A transaction with the time of its last write, and how far its partition was ingested then. */
export interface TracedTransaction extends RewardedTransaction {
  readonly createdAt: Date;
  /** The time of its last change. */
  readonly updatedAt: Date;
  /** From `ingest_positions`; null if nothing was ever ingested in this partition. */
  readonly applied: number | null;
  readonly published: number | null;
}

/** A stamp with its card. */
export interface TracedStamp extends Stamp {
  readonly loyaltyProgramId: string;
  /** Null once the program is removed; so is the threshold. */
  readonly programName: string | null;
  readonly qualifyingThreshold: number | null;
  /** The current state of the card. */
  readonly unredeemedPurchases: number;
}

export interface TracedRedemption {
  readonly id: string;
  readonly stampId: string;
  readonly createdAt: Date;
  readonly undoneAt: Date | null;
  readonly stampsTotal: number;
  /** Null until its amount and currency are known, and if they amount to nothing. */
  readonly cashback: Cashback | null;
}

export interface TracedLink {
  readonly type: "enrolment" | "clip";
  readonly id: string;
  /** The program or the deal. */
  readonly targetId: string;
  /** Null once the target is removed. */
  readonly name: string | null;
  /** Microseconds since 1970. */
  readonly madeAt: number;
  /** Whether it counts for the purchase. */
  readonly counts: boolean;
  /** Whether it is a card whose outcomes wait (`LIMITS.pendingRedemptionsPerCard`). */
  readonly isFull: boolean;
}

/** UUIDs. */
export interface TracedIgnored {
  /** Begins with the time of its commit. */
  readonly id: string;
  /** Null: the event was put back from the dead letters. */
  readonly batchId: string | null;
  readonly index: number | null;
  readonly fields: readonly string[];
}

export interface TraceKey {
  readonly organisationId: string;
  readonly externalId: string;
  /** The transaction's partition, from its `external_id`. */
  readonly partition: number;
}

/**
 * Reads with several statements: call it in a database transaction with one snapshot for all of them.
 * @returns undefined if the organisation has no such transaction
 */
export async function readTrace(sql: Sql, key: TraceKey): Promise<TracedRows | undefined> {
  const { organisationId } = key;
  const found = await readTransaction(sql, key);
  if (found === undefined) return undefined;
  const { transaction, authedAt } = found;
  const { id, memberId } = transaction;
  const stamps = await readStamps(sql, organisationId, id);
  const redemptions = await readRedemptions(sql, organisationId, stamps);
  const links = memberId === null ? [] : await readLinks(sql, memberId, authedAt);
  const times = timesOf(transaction, stamps, redemptions);
  const told = await readTold(sql, { organisationId, transactionId: id, times });
  const ignored = await readIgnored(sql, key, transaction);
  return { transaction, stamps, redemptions, links, told, ignored };
}

type TransactionRow = RewardedRow &
  Omit<TracedTransaction, "rewards"> & { readonly authedMicroseconds: number };

async function readTransaction(sql: Sql, { organisationId, externalId, partition }: TraceKey) {
  const [row] = await sql<TransactionRow[]>`
    select ${rewardedColumns(sql)}, t.created_at as "createdAt", t.updated_at as "updatedAt",
           ${microsecondsSince1970(sql, "t.authed_at")} as "authedMicroseconds", p.applied, p.published
    from transactions t
    left join members m on m.id = t.member_id and ${reachableMember(sql)}
    left join ingest_positions p on p.partition = ${partition}
    where t.organisation_id = ${organisationId} and t.external_id = ${externalId}`;
  if (row === undefined) return undefined;
  const { createdAt, updatedAt, applied, published, authedMicroseconds: authedAt } = row;
  return { transaction: { ...toRewarded(row), createdAt, updatedAt, applied, published }, authedAt };
}

type StampRow = TracedStamp & {
  /** The redemption that has the stamp, or had it when it was voided. */
  readonly redemptionId: string | null;
};

function readStamps(sql: Sql, organisationId: string, transactionId: string) {
  return sql<StampRow[]>`
    select ${stampColumns(sql)}, c.loyalty_program_id as "loyaltyProgramId", p.name as "programName",
           p.qualifying_threshold as "qualifyingThreshold", c.unredeemed_purchases as "unredeemedPurchases",
           q.redemption_id as "redemptionId"
    from qualifying_purchases q
    join stamp_collections c on c.id = q.stamp_collection_id
    join members m on m.id = c.member_id and ${reachableMember(sql)}
    left join loyalty_programs p on p.id = c.loyalty_program_id and p.removed_at is null
    where q.transaction_id = ${transactionId} and q.organisation_id = ${organisationId}
    order by q.id`;
}

/**
 * The redemptions that took one of the stamps. The stamp names the last one; for undone ones, the newest
 * undone redemptions of its card are searched.
 */
async function readRedemptions(sql: Sql, organisationId: string, stamps: readonly StampRow[]) {
  if (stamps.length === 0) return [];
  const rows = await sql<(Omit<TracedRedemption, "cashback"> & { readonly cashback: CashbackJson | null })[]>`
    select r.id, stamp.id as "stampId", r.created_at as "createdAt", r.undone_at as "undoneAt",
           cardinality(r.stamp_ids) as "stampsTotal", given.cashback
    from unnest(
      ${stamps.map(({ id }) => id)}::uuid[], ${stamps.map(({ stampCollectionId }) => stampCollectionId)}::uuid[],
      ${stamps.map(({ redemptionId }) => redemptionId)}::uuid[]
    ) as stamp (id, collection_id, redemption_id)
    cross join lateral (
      select * from redemptions where id = stamp.redemption_id
      union
      select * from (
        select * from redemptions
        where stamp_collection_id = stamp.collection_id and undone_at is not null
        order by id desc
        limit ${LIMITS.pageLimitMax}
      ) as undone
      where stamp.id = any(undone.stamp_ids)
    ) as r
    left join lateral (
      select to_json(c) as cashback from cashbacks c where c.redemption_id = r.id limit 1
    ) as given on true
    where r.organisation_id = ${organisationId}
    order by r.created_at, r.id`;
  return rows.map((row) => ({ ...row, cashback: row.cashback === null ? null : toCashback(row.cashback) }));
}

async function readLinks(sql: Sql, memberId: string, authedAt: number): Promise<TracedLink[]> {
  const links = (await loadMemberLinks(sql, [memberId])).get(memberId);
  if (links === undefined) return [];
  const counting = purchaseLinks(links, authedAt);
  const counts = new Set([...counting.clips, ...counting.enrolments].map(({ id }) => id));
  const all = [
    ...links.enrolments.map(({ id, loyaltyProgramId, madeAt }) => ({
      type: "enrolment" as const,
      id,
      targetId: loyaltyProgramId,
      madeAt,
    })),
    ...links.clips.map(({ id, dealId, madeAt }) => ({ type: "clip" as const, id, targetId: dealId, madeAt })),
  ].slice(0, LIMITS.pageLimitMax);
  const targets = all.map(({ targetId }) => targetId);
  const names = await sql<{ id: string; name: string | null }[]>`
    select id, name from loyalty_programs where id = any(${targets}::uuid[])
    union all
    select id, name from deals where id = any(${targets}::uuid[])`;
  const nameOf = new Map(names.map(({ id, name }) => [id, name]));
  const full = await sql<{ id: string }[]>`
    select id from stamp_collections
    where id = any(${all.map(({ id }) => id)}::uuid[])
      and cardinality(pending_redemptions) >= ${LIMITS.pendingRedemptionsPerCard}::int`;
  const isFull = new Set(full.map(({ id }) => id));
  return all.map((link) => ({
    ...link,
    name: nameOf.get(link.targetId) ?? null,
    counts: counts.has(link.id),
    isFull: isFull.has(link.id),
  }));
}

/** A message that was applied again has stored its fields twice. */
async function readIgnored(
  sql: Sql,
  { organisationId, externalId }: TraceKey,
  { createdAt }: TracedTransaction,
): Promise<TracedIgnored[]> {
  const rows = await sql<TracedIgnored[]>`
    select id, batch_id as "batchId", event_index as "index", fields
    from ignored_fields
    where organisation_id = ${organisationId} and external_id = ${externalId}
      and id >= ${firstIdAt(sql, sql`${createdAt}::timestamptz`)}
    order by id desc
    limit ${LIMITS.ignoredEvents}`;
  const byEvent = new Map(rows.map((row) => [`${row.batchId ?? row.id} ${row.index}`, row]));
  return [...byEvent.values()];
}

/**
 * The times at which something was earned or taken back: to the millisecond, because rewards gives a batch
 * one time (`batchContext`).
 */
function timesOf(
  { rewards }: TracedTransaction,
  stamps: readonly TracedStamp[],
  redemptions: readonly TracedRedemption[],
): Date[] {
  const times = [
    ...stamps.flatMap(({ createdAt, voidedAt }) => [createdAt, voidedAt]),
    ...redemptions.flatMap(({ createdAt, undoneAt }) => [createdAt, undoneAt]),
    ...rewards.flatMap(({ createdAt, clearedAt, revertedAt }) => [createdAt, clearedAt, revertedAt]),
  ];
  return times.filter((time) => time !== null);
}
