import { DURATION_BUCKETS_SECONDS, type MetricFactory, SIZE_BUCKETS, timeWork } from "#runtime";
import type { IsolatedBatch } from "#store";
import type { LoopObserver } from "#stream";

export type Step = "hash" | "commit" | "publish";

/** What ingest tells Prometheus. */
export interface IngestMetrics extends LoopObserver {
  batch(messages: number, applied: IsolatedBatch): void;
  timed<T>(step: Step, work: () => Promise<T>): Promise<T>;
}

const RESULTS = [
  "created",
  "updated",
  "unchanged",
  "not_found",
  "identity_mismatch",
  "invalid_transition",
  "dead",
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
  return {
    batch: (messageCount, { outcomes, poison }) => {
      packed.observe(messageCount);
      rows.observe(outcomes.length);
      // Counted first, told once: a call for every event would be seen in a profile.
      const counts = new Map<string, number>([["dead", poison.length]]);
      for (const outcome of outcomes) {
        if (outcome === undefined) continue;
        const result = outcome.kind === "rejected" ? outcome.rejection.reason : outcome.kind;
        counts.set(result, (counts.get(result) ?? 0) + 1);
      }
      for (const [result, count] of counts) events.inc({ result }, count);
    },
    timed: (step, work) => timeWork(steps.startTimer({ step }), work),
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (fault) => retries.inc({ fault }),
  };
}
