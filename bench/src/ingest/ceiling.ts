import { uuidv7 } from "uuidv7";
import { type BatchEvent, toUtcMicroseconds, transactionIdentifiers } from "#domain";
import { closeStore, connectStore, type Store } from "#postgres";
import { applyEvents } from "../../../services/ingest/src/transactions/apply-events.ts";
import { type EventBatch, toEventBatch } from "../../../services/ingest/src/transactions/event-batch.ts";
import { serveJob } from "../kit/processes.ts";
import { describeTransaction } from "./event-text.ts";
import { ACCEPTED, type Measured, Tally } from "./tally.ts";
import { AUTHORIZED, CLEARED, planLane, type WorkloadSpec } from "./workload.ts";
import { createWorld, type World } from "./world.ts";

/** Lanes are connections, requests are batches. */
export interface CeilingJob {
  readonly spec: WorkloadSpec;
  readonly members: number;
  readonly databaseUrl: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface CeilingResult {
  readonly measured: Measured;
  /** As in `LoadResult`. */
  readonly fates: Uint8Array;
}

const STATE_NAMES = ["", "authorized", "cleared", "reverted"] as const;
const HOUR_MS = 3_600_000;

/** The whole work of the ceiling for one batch: what ingest does in the database, and nothing else. */
export async function writeBatch(store: Store, batch: EventBatch): Promise<void> {
  await store.begin((sql) => applyEvents(sql, batch));
}

/** The requests of a lane as the bulk statement takes them: all work but the database's done. */
export function renderBatches(spec: WorkloadSpec, lane: number, world: World): EventBatch[] {
  const plan = planLane(spec, lane);
  return Array.from({ length: spec.requestsPerLane }, (_, batch) => {
    const events: BatchEvent[] = [];
    for (let ord = 0; ord < spec.size; ord++) {
      const at = batch * spec.size + ord;
      events.push(toEvent(spec, ord, plan.transactions[at] as number, plan.states[at] as number, world));
    }
    return toEventBatch(events);
  });
}

function toEvent(spec: WorkloadSpec, ord: number, number: number, state: number, world: World): BatchEvent {
  const transaction = describeTransaction(spec.seed, spec.run, number, world.memberIds.length);
  const { six, eight } = transactionIdentifiers(transaction);
  const settledAt = toUtcMicroseconds(new Date(transaction.authedAtMs + HOUR_MS).toISOString());
  return {
    ord,
    id: uuidv7(),
    organisationId: world.organisationId,
    memberId: world.memberIds[transaction.member] as string,
    externalId: transaction.externalId,
    state: STATE_NAMES[state] as BatchEvent["state"],
    network: transaction.network,
    merchantId: transaction.merchantId,
    statementDescriptor: transaction.statementDescriptor,
    amount: state === AUTHORIZED ? transaction.amount : transaction.settledAmount,
    currency: transaction.currency,
    authedAt: toUtcMicroseconds(new Date(transaction.authedAtMs).toISOString()),
    clearedAt: state === CLEARED ? settledAt : null,
    revertedAt: state !== AUTHORIZED && state !== CLEARED ? settledAt : null,
    identifier6: six,
    identifier8: eight,
  };
}

/**
 * The ceiling: how fast this Postgres takes the workload when nothing is in front of it. Batches are JSON before the
 * clock starts; a few connections send them, each its next when the one before is committed. A process of its own.
 */

async function run(job: CeilingJob): Promise<CeilingResult> {
  const { spec } = job;
  const world = createWorld(spec.seed, job.members);
  const lanes = Array.from({ length: spec.lanes }, (_, lane) => renderBatches(spec, lane, world));
  const fates = new Uint8Array(spec.lanes * spec.requestsPerLane);
  const store = connectStore({ url: job.databaseUrl, max: spec.lanes, applicationName: "bench-ceiling" });
  const startMs = performance.now() + job.warmUpSeconds * 1000;
  const endMs = startMs + job.seconds * 1000;
  const tally = new Tally(spec.size, startMs, endMs);
  let dryMs = endMs;
  const write = async (batches: readonly EventBatch[], first: number): Promise<void> => {
    for (const [at, batch] of batches.entries()) {
      const sentMs = performance.now();
      if (sentMs >= endMs) return;
      await writeBatch(store, batch);
      const now = performance.now();
      fates[first + at] = ACCEPTED;
      tally.answer(now, now - sentMs, 200);
    }
    dryMs = Math.min(dryMs, performance.now());
  };
  await Promise.all(lanes.map((batches, lane) => write(batches, lane * spec.requestsPerLane)));
  await closeStore(store);
  return { measured: tally.measure(dryMs), fates };
}

serveJob<CeilingJob>(run);
