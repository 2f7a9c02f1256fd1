import { closeStore, connectStore } from "#postgres";
import type { EventBatch } from "../../../services/ingest/src/batch/event-batch.ts";
import { KnownKeys } from "../../../services/ingest/src/batch/known-keys.ts";
import { serveJob } from "../kit/processes.ts";
import { ACCEPTED, type Measured, Tally } from "./tally.ts";
import type { WorkloadSpec } from "./workload.ts";
import { createWorld } from "./world.ts";
import { renderBatches, writeBatch } from "./write-batch.ts";

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
  /** Like in `LoadResult`. */
  readonly fates: Uint8Array;
}

/**
 * The ceiling: how fast this Postgres stores the workload without a service in front of it. The rows are made
 * before the clock starts; each of a few connections sends its next batch once the previous one is committed.
 * Runs in a separate process.
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
    const keys = new KnownKeys();
    for (const [at, batch] of batches.entries()) {
      const sentMs = performance.now();
      if (sentMs >= endMs) return;
      await writeBatch(store, batch, keys);
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
