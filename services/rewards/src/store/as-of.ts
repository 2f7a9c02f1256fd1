import { FLOW } from "#contract";
import type { DealOutcome as WireDeal } from "#contract/platform";
import { addTo } from "#domain";
import type { Clip, RewardTransaction } from "#domain/rewards";
import { microsecondsSince1970, type Transaction } from "#postgres";
import type { OutcomeSubject } from "./outcome-subject.ts";
import { isLatestClip, type LoadedCashback, loadedCashbackColumns, toRewardCashback } from "./stamps.ts";
import { indexTransactions, loadByKey } from "./transactions.ts";

/*
 * Loads additional rows for outcomes that are decided as of a moment (`RewardContext`), because a database
 * that is gone has handled them already. Later settlings are left to their settlements, which are still to
 * come.
 */

/** An outcome of a purchase that found its clip redeemed by another one, and may get it. */
export interface WaitingOutcome extends Omit<OutcomeSubject, "moment"> {
  /** Microseconds since 1970. */
  readonly authedAt: number;
  readonly memberId: string;
}

export interface AsOf {
  /** The result of `settledUpTo`: nothing is decided as of an earlier moment. */
  readonly notBefore: number;
  /** The purchases that hold the clips, by id. */
  readonly holders: ReadonlyMap<string, RewardTransaction>;
  /** By clip, the newest first. */
  readonly waiting: ReadonlyMap<string, readonly WaitingOutcome[]>;
}

/**
 * The time up to which settlements were handled before this start of the server, in microseconds since 1970:
 * settlings up to then have no settlement to come. An outcome may come so late that settlements are ahead of
 * it: it failed for long, and the wait for it ended (`awaitOutcomes`) before another start.
 *
 * No settlement is handled until this database transaction ends: a process that takes over a partition of
 * them waits for these locks.
 * @returns undefined if settlements are handled already, or the time is not known
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

/** Outcomes that wait for these clips, or for others of the same member and deal. Called before the locks, which include their transactions. */
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

/** By collection, those of the transactions that have a voided stamp there. */
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

/** Locks the pending cashbacks of locked clips, as settlements do; reads their purchases, and whether a reversal opens a clip again. */
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
    select own.id, ${isLatestClip(sql)} as reopens
    from clips own where own.id = any(${clipIds}::uuid[])`;
  const clips = new Map(
    newest.map(({ id, reopens }): [string, Pick<Clip, "cashback" | "reopens">] => {
      return [id, { cashback: cashbacks.get(id) ?? null, reopens }];
    }),
  );
  const { transactions: holders } = indexTransactions(await loadByKey(sql, rows));
  return { clips, holders };
}
