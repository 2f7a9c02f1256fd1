import type { LoopObserver } from "#nats";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, timeWork } from "#runtime";
import { FAULTS, faultOf } from "./reward-fault.ts";

/** Why configuration can never be applied (`createConfigHandler`). */
const REFUSALS = ["unreadable_message", "invalid_message", "refused_by_database"];

/** What rewards tells Prometheus about configuration from the platform. */
export interface ConfigMetrics extends LoopObserver {
  timed<T>(work: () => Promise<T>): Promise<T>;
}

export function createConfigMetrics(metrics: MetricFactory): ConfigMetrics {
  const messages = metrics.counter(
    "stampede_rewards_config_messages_total",
    "Configuration messages by outcome.",
    ["outcome", "reason"],
  );
  messages.inc({ outcome: "done", reason: "none" }, 0);
  messages.inc({ outcome: "skip", reason: "old_revision" }, 0);
  for (const reason of REFUSALS) messages.inc({ outcome: "dead", reason }, 0);
  const retries = metrics.counter(
    "stampede_rewards_config_retries_total",
    "Configuration messages given back to be tried again, by fault.",
    ["fault"],
  );
  for (const fault of FAULTS) retries.inc({ fault }, 0);
  const durations = metrics.histogram(
    "stampede_rewards_config_apply_duration_seconds",
    "Time to apply one configuration message.",
    DURATION_BUCKETS_SECONDS,
  );
  return {
    timed: (work) => timeWork(durations.startTimer(), work),
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (error) => retries.inc({ fault: faultOf(error) }),
  };
}
