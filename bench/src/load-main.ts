/** A load process: one job over IPC, its result back, the end. Of its own, so that no subject shares its event loop. */
import { runClosedLoop } from "./load.ts";
import type { ClosedLoopJob, OpenLoopJob } from "./load-job.ts";
import { runOpenLoop } from "./open-loop.ts";

process.on("disconnect", () => process.exit(1));
process.once("message", async (job: ClosedLoopJob | OpenLoopJob) => {
  const result = job.mode === "closed" ? await runClosedLoop(job) : await runOpenLoop(job);
  process.send?.(result, () => process.exit(0));
});
