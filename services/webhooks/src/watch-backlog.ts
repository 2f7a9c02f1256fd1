import { type Log, type MetricFactory, startSampler } from "#runtime";
import { measureBacklog, type Store } from "#store";

const INTERVAL_MS = 5_000;

/** Looks now and then at what waits for delivery, over all processes. Returns the function that ends it. */
export function watchBacklog(store: Store, metrics: MetricFactory, log: Log): Promise<() => void> {
  const waiting = metrics.gauge(
    "stampede_webhooks_waiting",
    "Enabled webhooks that something waits for, those in the middle of it among them.",
  );
  const oldest = metrics.gauge(
    "stampede_webhooks_oldest_pending_seconds",
    "Age of the oldest event that an enabled webhook has not got; 0: all have got all.",
  );
  const disabled = metrics.gauge(
    "stampede_webhooks_disabled",
    "Webhooks that were disabled since they kept failing.",
  );
  return startSampler({
    name: "webhook backlog",
    intervalMs: INTERVAL_MS,
    sample: async () => {
      const measured = await measureBacklog(store);
      waiting.set(measured.waiting);
      const { oldestAt } = measured;
      oldest.set(oldestAt === null ? 0 : Math.max(0, (Date.now() - oldestAt.getTime()) / 1000));
      disabled.set(measured.disabled);
    },
    log,
  });
}
