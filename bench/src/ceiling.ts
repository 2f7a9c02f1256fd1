/**
 * The ceiling: how fast this Postgres takes the workload when nothing is in front of it. Batches are bytes before the
 * clock starts; a few connections send them, each its next when the one before is committed. A process of its own.
 */
import { closeStore, connectStore } from "#postgres";
import type { EventBatch } from "../../services/ingest/src/transactions/event-batch.ts";
import type { CeilingJob, CeilingResult } from "./ceiling-job.ts";
import { renderBatches, writeBatch } from "./row-batches.ts";
import { ACCEPTED, Tally } from "./tally.ts";
import { createWorld } from "./world.ts";

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

process.on("disconnect", () => process.exit(1));
process.once("message", async (job: CeilingJob) => {
  const result = await run(job);
  process.send?.(result, () => process.exit(0));
});
