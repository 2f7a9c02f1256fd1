import { DURATION_BUCKETS_SECONDS, type MetricFactory, SIZE_BUCKETS } from "#runtime";
import type { EventOutcome } from "#store";
import type { LoopObserver } from "#stream";

export type Step = "hash" | "commit" | "publish";

/** What ingest tells Prometheus. */
export interface IngestMetrics extends LoopObserver {
  event(outcome: EventOutcome): void;
  batch(messages: number, rows: number): void;
  timed<T>(step: Step, work: () => Promise<T>): Promise<T>;
  ownedPartitions(count: number): void;
}

const RESULTS = [
  "created",
  "updated",
  "unchanged",
  "not_found",
  "identity_mismatch",
  "invalid_transition",
] as const;

export function createIngestMetrics(metrics: MetricFactory): IngestMetrics {
  const events = metrics.counter("stampede_ingest_events_total", "Events by result.", ["result"]);
  for (const result of RESULTS) events.inc({ result }, 0);
  const messages = metrics.counter("stampede_ingest_messages_total", "Stream messages by outcome.", [
    "outcome",
    "reason",
  ]);
  const retries = metrics.counter("stampede_ingest_batch_retries_total", "Batches tried again, by fault.", [
    "fault",
  ]);
  const rows = metrics.histogram("stampede_ingest_batch_events", "Events in one batch.", SIZE_BUCKETS);
  const packed = metrics.histogram("stampede_ingest_batch_messages", "Messages in one batch.", SIZE_BUCKETS);
  const steps = metrics.histogram(
    "stampede_ingest_step_duration_seconds",
    "Time of one batch in one step.",
    DURATION_BUCKETS_SECONDS,
    ["step"],
  );
  const owned = metrics.gauge("stampede_ingest_partitions_owned", "Partitions that this process consumes.");
  return {
    event: (outcome) => {
      events.inc({ result: outcome.kind === "rejected" ? outcome.rejection.reason : outcome.kind });
    },
    batch: (messageCount, rowCount) => {
      packed.observe(messageCount);
      rows.observe(rowCount);
    },
    timed: async (step, work) => {
      const end = steps.startTimer({ step });
      try {
        return await work();
      } finally {
        end();
      }
    },
    ownedPartitions: (count) => owned.set(count),
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (fault) => retries.inc({ fault }),
  };
}
