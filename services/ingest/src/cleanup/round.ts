import type { Sql, Store } from "#postgres";
import { type Removed, removeSettled } from "./remove-settled.ts";

/** If a process does not renew its lease for this long, another one takes the round over. */
const LEASE_SECONDS = 10;
/** The least time from the beginning of one round to the beginning of the next. */
const ROUND_SECONDS = 3600;
/**
 * The longest that a round may take; the pace of its steps follows from it. So a transaction that is due is
 * removed within a day: a round may just have passed its place.
 */
const ROUND_OVER_SECONDS = 12 * 3600;

/** The process that runs rounds, and how long transactions are kept. */
export interface Keeper {
  /** The UUID of the process. */
  readonly owner: string;
  readonly days: number;
}

/** A round whose lease this process holds. */
export interface Round {
  /** Transactions before this time may be removed. Already committed. A timestamptz as text. */
  readonly forgottenBefore: string;
}

/**
 * Takes the lease of the round under way, or begins a round if it is time. Undefined: another process holds
 * the lease, or no round is due.
 *
 * A new round raises `forgotten_before`, and commits that before its first transaction is removed.
 */
export async function takeRound(sql: Sql, { owner, days }: Keeper): Promise<Round | undefined> {
  const [row] = await sql<Round[]>`
    update transaction_retention set
      owner = ${owner}, lease_until = now() + ${LEASE_SECONDS}::float8 * interval '1 second',
      round_began_at = coalesce(round_began_at, now()),
      next_block = case when round_began_at is null then 0 else next_block end,
      round_kept = case when round_began_at is null then 0 else round_kept end,
      round_oldest_at = case when round_began_at is null then null else round_oldest_at end,
      forgotten_before = case
        when round_began_at is null then greatest(forgotten_before, now() - ${days}::int * interval '1 day')
        else forgotten_before
      end
    where (owner is not distinct from ${owner} or lease_until is null or lease_until < now())
      and (
        round_began_at is not null or last_began_at is null
        or last_began_at <= now() - ${ROUND_SECONDS}::float8 * interval '1 second'
      )
    returning forgotten_before::text as "forgottenBefore"`;
  return row;
}

/** Whether the round has more to do; `lost`: another process holds it. */
export type Progress = "more" | "over" | "lost";

interface Step {
  readonly progress: Progress;
  /** How often a step has to begin from now on, in milliseconds, for the round to end in time. */
  readonly paceMs?: number;
  readonly removed?: Removed;
}

/**
 * One step of the round: a number of blocks, in one small database transaction, which also moves the place of
 * the round. If the process dies, the step is done completely or not at all.
 * @param forgottenBefore the round's, once all transactions are over that could have read an older value
 */
export function stepRound(
  store: Store,
  { owner, days }: Keeper,
  { forgottenBefore }: Round,
  blocks: number,
): Promise<Step> {
  return store.begin("isolation level read committed", async (sql) => {
    const [place] = await sql<{ from: number; size: number; leftMs: number; before: string }[]>`
      select next_block as "from",
             pg_relation_size('transactions') / current_setting('block_size')::bigint as size,
             1000 * extract(epoch from round_began_at - now() + ${ROUND_OVER_SECONDS}::float8 * interval '1 second')::float8
               as "leftMs",
             least(${forgottenBefore}::text::timestamptz, now() - ${days}::int * interval '1 day')::text as before
      from transaction_retention
      where owner = ${owner} and round_began_at is not null
      for no key update`;
    if (place === undefined) return { progress: "lost" };
    const { from, size, leftMs, before } = place;
    const to = from + blocks;
    const removed = await removeSettled(sql, { from, to }, before);
    const isOver = to >= size;
    await sql`
      update transaction_retention set
        next_block = ${to}, lease_until = now() + ${LEASE_SECONDS}::float8 * interval '1 second',
        round_kept = round_kept + ${removed.kept},
        round_oldest_at = least(round_oldest_at, ${removed.oldestAt}::timestamptz)`;
    if (isOver) await endRound(sql);
    return {
      progress: isOver ? "over" : "more",
      paceMs: (leftMs * blocks) / Math.max(blocks, size - to),
      removed,
    };
  });
}

async function endRound(sql: Sql): Promise<void> {
  await sql`
    update transaction_retention set
      last_began_at = round_began_at, last_kept = round_kept, last_oldest_at = round_oldest_at,
      round_began_at = null, lease_until = null`;
}

/** How far retention is, over all processes. */
export interface RetentionState {
  /**
   * Seconds since the last complete round began; before there was one, since the first began. Everything due
   * by then has been removed.
   */
  readonly behindSeconds: number;
  /** Transactions older than the retention that the last complete round kept, and the age of the oldest. */
  readonly kept: number;
  readonly oldestSeconds: number;
}

export async function readRetention(sql: Sql): Promise<RetentionState> {
  const [state] = await sql<[RetentionState]>`
    select coalesce(extract(epoch from now() - coalesce(last_began_at, round_began_at)), 0)::float8 as "behindSeconds",
           last_kept as kept, coalesce(extract(epoch from now() - last_oldest_at), 0)::float8 as "oldestSeconds"
    from transaction_retention`;
  return state;
}
