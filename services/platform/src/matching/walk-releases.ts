import type { Store } from "#postgres";
import { type Log, repeat } from "#runtime";
import type { Judge } from "./judge.ts";
import type { QueuedOutcomes } from "./outcome-queue.ts";
import { type RecordRow, recordColumns } from "./record-rows.ts";
import { NO_RETAILER, pairReleased, releasePayments } from "./revert-records.ts";

const INTERVAL_MS = 60_000;
/** Records of one step: some 20 ms. */
const ROWS_PER_STEP = 5_000;

interface ReleaseWalkParts {
  readonly store: Store;
  /** Gives the current judge. */
  readonly judge: () => Promise<Judge>;
  readonly onOutcomes: (queued: readonly QueuedOutcomes[]) => void;
  readonly log: Log;
}

/**
 * Gives back the payments of purchases that an earlier version reverted and left paired (migration 0003), in
 * the background. It walks over all records once, and once more a day later; after that each round is one
 * query on an empty table.
 * @returns a function that ends this, and waits for the step under way
 */
export function startReleaseWalk(parts: ReleaseWalkParts): () => Promise<void> {
  const { stop } = repeat({
    name: "payments of reverted purchases",
    everyMs: INTERVAL_MS,
    work: async (signal) => {
      while (!signal.aborted && (await walkReleases(parts)));
    },
    failed: "payments of reverted purchases were not given back; trying again",
    log: parts.log,
  });
  return stop;
}

/**
 * One step: releases payments, searches for their other purchases after the commit, and only then moves on.
 * After a crash the step is repeated, and so finds the payments that it had released and not paired. Two
 * processes may do the same step without harm.
 * @returns whether there may be more to do
 */
export async function walkReleases({
  store,
  judge,
  onOutcomes,
}: Omit<ReleaseWalkParts, "log">): Promise<boolean> {
  const [walk] = await store<Walk[]>`
    select not_before::text as "notBefore", reached from platform.release_walks
    where not_before <= now() order by not_before limit 1`;
  if (walk === undefined) return false;
  const { last, reverted } = await releaseSome(store, walk.reached);
  const pairing = await pairReleased(store, reverted, await judge());
  if (pairing !== undefined) onOutcomes(pairing.queued);
  if (last === null)
    await store`delete from platform.release_walks where not_before = ${walk.notBefore}::text::timestamptz`;
  else {
    await store`
      update platform.release_walks set reached = ${last}
      where not_before = ${walk.notBefore}::text::timestamptz and (reached is null or reached < ${last})`;
  }
  return true;
}

interface Walk {
  /** Exact to the microsecond. */
  readonly notBefore: string;
  readonly reached: string | null;
}

async function releaseSome(
  store: Store,
  after: string | null,
): Promise<{ readonly last: string | null; readonly reverted: readonly string[] }> {
  return store.begin(async (sql) => {
    const [{ last }] = await sql<[{ last: string | null }]>`
      select max(transaction_id::text)::uuid as last from (
        select transaction_id from platform.records
        where ${after === null ? sql`true` : sql`transaction_id > ${after}`}
        order by transaction_id limit ${ROWS_PER_STEP}
      ) as step`;
    if (last === null) return { last, reverted: [] };
    const rows = await sql<(RecordRow & { readonly paymentId: string | null })[]>`
      select ${recordColumns(sql)}, r.payment_id as "paymentId" from platform.records r
      where ${after === null ? sql`true` : sql`transaction_id > ${after}`} and transaction_id <= ${last}
        and state = 'reverted' and retailer_id <> ${NO_RETAILER}
      order by transaction_id
      for update`;
    await releasePayments(
      sql,
      rows.flatMap(({ transactionId, paymentId }) =>
        paymentId === null ? [] : { transactionId, paymentId },
      ),
    );
    return { last, reverted: rows.map(({ transactionId }) => transactionId) };
  });
}
