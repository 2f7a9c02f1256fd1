/** A load process for reads: one job over IPC, its result back, the end. */
import type { ReadJob } from "./read-job.ts";
import { runReads } from "./read-load.ts";

process.on("disconnect", () => process.exit(1));
process.once("message", async (job: ReadJob) => {
  const result = await runReads(job);
  process.send?.(result, () => process.exit(0));
});
