import { FLOW } from "#contract";
import type { DealOutcome as WireDeal } from "#contract/platform";
import { addTo } from "#domain";
import type { Clip, RewardTransaction } from "#domain/rewards";
import type { Transaction } from "#postgres";
import { microsecondsSince1970 } from "#publisher-db";
import type { OutcomeSubject } from "./outcome-subject.ts";
import { type LoadedCashback, loadedCashbackColumns, toRewardCashback } from "./stamps.ts";
import { indexTransactions, loadByKey } from "./transactions.ts";

/*
 * What outcomes need besides that are decided as of a moment (`RewardContext`), because they came before in a database that is gone.
 * All that settled later is left to its settlement, which is still to come.
 */

/** Of a purchase that found its clip redeemed by another one, and may have it. */
export interface WaitingOutcome extends Omit<OutcomeSubject, "moment"> {
  /** Microseconds since 1970. */
  readonly authedAt: number;
  readonly memberId: string;
}

export interface AsOf {
  /** As `settledUpTo`: nothing is decided as of an earlier moment. */
  readonly notBefore: number;
  /** The purchases that hold the clips, by id. */
  readonly holders: ReadonlyMap<string, RewardTransaction>;
  /** By clip, the newest first. */
  readonly waiting: ReadonlyMap<string, readonly WaitingOutcome[]>;
}

/**
 * Up to which time settlements were handled, in microseconds since 1970, by a database that was there before this start of the
 * server: what settled up to then is left to no settlement any more. An outcome may come again so late that they are ahead of it:
 * it failed for long, and whoever waited for it gave up (`awaitOutcomes`), before another start.
 *
 * Until this database transaction ends none is handled: a process that takes a partition of them over waits
 * for these locks.
 * @returns undefined where settlements are handled already, or it is not known up to when they were
 */
export async function settledUpTo(sql: Transaction): Promise<number | undefined> {
  const rows = await sql<{ upTo: number | null }[]>`
    select case
      when server_started = pg_postmaster_start_time() then null
      when done = 0 then 0
      else stored_at * 1000
    end as "upTo"
    from stream_places
    where hop = ${FLOW.settlement.stream}
    order by partition
    for share`;
  if (rows.some(({ upTo }) => upTo === null)) return undefined;
  return Math.max(0, ...rows.map(({ upTo }) => upTo as number));
}

/** Outcomes that wait for these clips, or for others of the same member and deal. Before the locks: their transactions are locked with them. */
export async function findWaiting(
  sql: Transaction,
  clipIds: readonly string[],
): Promise<Map<string, readonly WaitingOutcome[]>> {
  if (clipIds.length === 0) return new Map();
  const rows = await sql<
    { clipId: string; memberId: string; transactionId: string; authedAt: number; outcome: string }[]
  >`
    select c.id as "clipId", c.member_id as "memberId", d.transaction_id as "transactionId",
           ${microsecondsSince1970(sql, "d.authed_at")} as "authedAt", d.outcome
    from clips c
    join clips own on own.member_id = c.member_id and own.deal_id = c.deal_id
    join deal_candidates d on d.clip_id = own.id
    where c.id = any(${clipIds}::uuid[])
    order by d.authed_at desc, d.transaction_id desc`;
  const waiting = new Map<string, WaitingOutcome[]>();
  for (const { clipId, memberId, transactionId, authedAt, outcome } of rows) {
    const { type, amount, currency, retroactive } = JSON.parse(outcome) as WireDeal;
    const target = { kind: "clip", id: clipId } as const;
    const finding = { type, amount, currency };
    addTo(waiting, clipId, { transactionId, target, finding, retroactive, authedAt, memberId });
  }
  return waiting;
}

/** By collection, the transactions among these whose stamps there are voided. */
export async function findVoided(
  sql: Transaction,
  transactions: ReadonlyMap<string, RewardTransaction>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const reverted = [...transactions.values()].filter(({ state }) => state === "reverted").map(({ id }) => id);
  if (reverted.length === 0) return new Map();
  const rows = await sql<{ collectionId: string; transactionId: string }[]>`
    select stamp_collection_id as "collectionId", transaction_id as "transactionId" from qualifying_purchases
    where transaction_id = any(${reverted}::uuid[]) and voided_at is not null`;
  const voided = new Map<string, Set<string>>();
  for (const { collectionId, transactionId } of rows) {
    voided.set(collectionId, (voided.get(collectionId) ?? new Set()).add(transactionId));
  }
  return voided;
}

/** Locks the pending cashbacks of locked clips, as settlements do, and reads their purchases; and whether a reversal opens a clip again. */
export async function lockHeldClips(sql: Transaction, clipIds: readonly string[]) {
  if (clipIds.length === 0) return { clips: new Map(), holders: new Map<string, RewardTransaction>() };
  const rows = await sql<LoadedCashback[]>`
    select ${loadedCashbackColumns(sql)}
    from cashbacks c
    where c.clip_id = any(${clipIds}::uuid[]) and c.state = 'pending'
    order by c.id
    for no key update of c`;
  const cashbacks = new Map(rows.map((row) => [row.clipId, toRewardCashback(row)]));
  const newest = await sql<{ id: string; reopens: boolean }[]>`
    select own.id, not exists (
             select from clips newer
             where newer.member_id = own.member_id and newer.deal_id = own.deal_id and newer.id > own.id
           ) as reopens
    from clips own where own.id = any(${clipIds}::uuid[])`;
  const clips = new Map(
    newest.map(({ id, reopens }): [string, Pick<Clip, "cashback" | "reopens">] => {
      return [id, { cashback: cashbacks.get(id) ?? null, reopens }];
    }),
  );
  const { transactions: holders } = indexTransactions(await loadByKey(sql, rows));
  return { clips, holders };
}
