/** Preloaded into a service by `--import`: on SIGUSR2 it prints the longest delay of its event loop since the last time. */
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();
process.on("SIGUSR2", () => {
  process.stdout.write(`${JSON.stringify({ loopDelayMs: histogram.max / 1e6 })}\n`);
  histogram.reset();
});
