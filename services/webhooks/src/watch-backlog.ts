import type { Store } from "#postgres";
import { type Log, type MetricFactory, startSampler } from "#runtime";
import { countParked } from "./deliveries/count-parked.ts";
import { measureBacklog } from "./deliveries/measure-backlog.ts";
import { unsettledSeconds } from "./deliveries/measure-unsettled.ts";

const INTERVAL_MS = 5_000;
/** It looks at every parked delivery, and nobody acts on it within seconds. */
const PARKED_INTERVAL_MS = 30_000;

/** Looks now and then at what waits for delivery, over all processes. Returns the function that ends it. */
export async function watchBacklog(store: Store, metrics: MetricFactory, log: Log): Promise<() => void> {
  const show = createBacklogGauges(metrics);
  const parked = metrics.gauge(
    "stampede_webhooks_parked",
    "Deliveries that were given up and not replayed since; 100,000 failed ones are looked at.",
  );
  const unsettled = metrics.gauge(
    "stampede_webhooks_oldest_unsettled_seconds",
    "Age of the oldest event that was not looked at for webhooks, since one before it may still be committed; 0: there is none.",
  );
  const stopBacklog = await startSampler({
    name: "webhook backlog",
    intervalMs: INTERVAL_MS,
    sample: async () => {
      show(await measureBacklog(store));
      unsettled.set(await unsettledSeconds(store));
    },
    log,
  });
  const stopParked = await startSampler({
    name: "parked deliveries",
    intervalMs: PARKED_INTERVAL_MS,
    sample: async () => parked.set(await countParked(store)),
    log,
  });
  return () => {
    stopBacklog();
    stopParked();
  };
}

function createBacklogGauges(metrics: MetricFactory) {
  const waiting = metrics.gauge(
    "stampede_webhooks_waiting",
    "Enabled webhooks that something waits for, those in the middle of it among them.",
  );
  const oldest = metrics.gauge(
    "stampede_webhooks_oldest_pending_seconds",
    "Age of the oldest event that an enabled webhook has not got; 0: all have got all.",
  );
  const states = metrics.gauge("stampede_webhooks_state", "Webhooks by state.", ["state"]);
  const disabled = metrics.gauge(
    "stampede_webhooks_disabled",
    "Webhooks that were disabled since they kept failing.",
  );
  const failing = metrics.gauge("stampede_webhooks_failing", "Enabled webhooks whose last request failed.");
  return (measured: Awaited<ReturnType<typeof measureBacklog>>) => {
    waiting.set(measured.waiting);
    oldest.set(measured.oldestSeconds);
    for (const state of ["enabled", "paused", "disabled"] as const) states.set({ state }, measured[state]);
    disabled.set(measured.disabled);
    failing.set(measured.failing);
  };
}
