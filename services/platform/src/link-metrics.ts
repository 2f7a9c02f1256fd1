import type { MetricFactory } from "#runtime";

/** What the platform tells Prometheus about the way of programs and deals to the publishers. */
export interface LinkMetrics {
  /** `stored`: the stream has it now. `known`: it had it. `failed`: it is tried again. */
  published(result: "stored" | "known" | "failed"): void;
  /** All of it is looked at again: at the start, after an outage, in a stream that was wiped. */
  republished(): void;
}

export function createLinkMetrics(metrics: MetricFactory): LinkMetrics {
  const messages = metrics.counter(
    "stampede_platform_config_messages_total",
    "Programs and deals brought to the stream, by result.",
    ["result"],
  );
  for (const result of ["stored", "known", "failed"]) messages.inc({ result }, 0);
  const republications = metrics.counter(
    "stampede_platform_config_republications_total",
    "Times that all programs and deals were compared with the stream.",
  );
  return {
    published: (result) => messages.inc({ result }),
    republished: () => republications.inc(),
  };
}
