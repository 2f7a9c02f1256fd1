import type { Log } from "./log.ts";

/**
 * Runs `sample` at once and then again `intervalMs` after each end, in the background, so that a scrape or a readiness
 * check never waits for a query. A sample that fails is logged and tried again; one that hangs delays only itself.
 */
export async function startSampler(options: {
  name: string;
  intervalMs: number;
  sample: () => Promise<void>;
  log: Log;
}): Promise<() => void> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async () => {
    await options.sample().catch((error) => {
      if (!stopped) options.log.warn({ err: error, sampler: options.name }, "sample failed");
    });
    if (!stopped) timer = setTimeout(run, options.intervalMs).unref();
  };
  await run();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
