import { FLOW } from "#contract";
import { countLostMessages, type LoopObserver, type StreamMessage } from "#nats";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, SIZE_BUCKETS, timeWork } from "#runtime";
import type { IsolatedBatch } from "./batch/apply-isolated.ts";
import type { PoolObserver } from "./batch/hash-pool.ts";
import { BACKPRESSURE_REASONS, backpressureOf, FAULTS, faultOf } from "./batch/ingest-fault.ts";
import { RETENTION_TABLES, type Removed } from "./cleanup/remove-settled.ts";
import type { RetentionState } from "./cleanup/round.ts";

const STEPS = ["hash", "commit", "publish"] as const;
export type Step = (typeof STEPS)[number];

const RESULTS = [
  "created",
  "updated",
  "unchanged",
  "not_found",
  "member_not_restored",
  "identity_mismatch",
  "invalid_transition",
  "past_retention",
  "dead",
] as const;

export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

/** The metrics of ingest. */
export function createIngestMetrics(metrics: MetricFactory) {
  const events = metrics.counter("stampede_ingest_events_total", "Events by result.", ["result"]);
  for (const result of RESULTS) events.inc({ result }, 0);
  const rows = metrics.histogram("stampede_ingest_batch_events", "Events in one batch.", SIZE_BUCKETS);
  const steps = metrics.histogram(
    "stampede_ingest_step_duration_seconds",
    "Time of one batch in one step.",
    DURATION_BUCKETS_SECONDS,
    ["step"],
  );
  for (const step of STEPS) steps.zero({ step });
  const endToEnd = metrics.tracedHistogram(
    "stampede_ingest_end_to_end_duration_seconds",
    "Time from the stream's storing a message, by the NATS server's clock, to the commit of its events.",
    // A backlog after an outage is minutes old.
    [...DURATION_BUCKETS_SECONDS, 30, 60, 300],
  );
  const contradictions = metrics.counter(
    "stampede_ingest_contradictions_total",
    "Batches that the database refused at first. Ingest then looked up everything in them and did them again.",
  );
  return {
    /**
     * Notes a batch that the database refused, because the state it was decided on does not hold or because of
     * an event's content. It is repeated with look-ups.
     */
    contradicted: () => contradictions.inc(),
    /** Notes a committed batch. */
    batch: (messages: readonly StreamMessage[], { outcomes, poison }: IsolatedBatch) => {
      const now = Date.now();
      for (const { storedAtMs, traceIds } of messages) {
        endToEnd.observe({}, Math.max(0, now - storedAtMs) / 1000, firstOf(traceIds));
      }
      rows.observe(outcomes.length);
      // Counted first, then added once: a call per event would show in a profile.
      const counts = new Map<string, number>([["dead", poison.length]]);
      for (const outcome of outcomes) {
        if (outcome === undefined) continue;
        const result = outcome.kind === "rejected" ? outcome.rejection.reason : outcome.kind;
        counts.set(result, (counts.get(result) ?? 0) + 1);
      }
      for (const [result, count] of counts) events.inc({ result }, count);
    },
    timed: <T>(step: Step, work: () => Promise<T>) => timeWork(steps.startTimer({ step }), work),
    pooled: createPoolObserver(metrics),
    ...createLoopObserver(metrics),
    gap: countLostMessages(metrics)(FLOW.ingest),
  };
}

export type RetentionMetrics = ReturnType<typeof createRetentionMetrics>;

/** The metrics of retention. */
export function createRetentionMetrics(metrics: MetricFactory) {
  const rows = metrics.counter(
    "stampede_ingest_retention_rows_total",
    "Rows that retention removed, by table.",
    ["table"],
  );
  for (const table of RETENTION_TABLES) rows.inc({ table }, 0);
  const behind = metrics.gauge(
    "stampede_ingest_retention_behind_seconds",
    "Time since the last complete round of retention began, which removed all that was due by then; 0 if transactions are kept for ever.",
  );
  const kept = metrics.gauge(
    "stampede_ingest_retention_kept_transactions",
    "Transactions older than the retention that the last complete round kept, because they, or what they earned, had not settled.",
  );
  const oldest = metrics.gauge(
    "stampede_ingest_retention_oldest_kept_seconds",
    "Time since the oldest of the kept transactions was authorized; 0 without one.",
  );
  return {
    step: (removed: Removed["rows"]) => {
      for (const table of RETENTION_TABLES) rows.inc({ table }, removed[table]);
    },
    state: (state: RetentionState) => {
      behind.set(state.behindSeconds);
      kept.set(state.kept);
      oldest.set(state.oldestSeconds);
    },
  };
}

/** The first trace id of a message; undefined: it has none. */
function firstOf(traceIds: string): string | undefined {
  return traceIds === "" ? undefined : traceIds.split(",", 1)[0];
}

function createPoolObserver(metrics: MetricFactory): PoolObserver {
  const wait = metrics.histogram(
    "stampede_ingest_pool_wait_duration_seconds",
    "Time that one batch waits for a free worker thread and travels there and back.",
    DURATION_BUCKETS_SECONDS,
  );
  const run = metrics.histogram(
    "stampede_ingest_pool_run_duration_seconds",
    "Time to prepare one batch, on a worker thread or, for a small batch, on the main thread.",
    DURATION_BUCKETS_SECONDS,
  );
  return (waitMs, runMs) => {
    wait.observe(waitMs / 1000);
    run.observe(runMs / 1000);
  };
}

function createLoopObserver(metrics: MetricFactory): LoopObserver {
  const messages = metrics.counter("stampede_ingest_messages_total", "Stream messages by outcome.", [
    "outcome",
    "reason",
  ]);
  messages.inc({ outcome: "done", reason: "none" }, 0);
  messages.inc({ outcome: "skip", reason: "done_before" }, 0);
  messages.inc({ outcome: "dead", reason: "unreadable_message" }, 0);
  const retries = metrics.counter("stampede_ingest_batch_retries_total", "Batches tried again, by fault.", [
    "fault",
  ]);
  for (const fault of FAULTS) retries.inc({ fault }, 0);
  const backpressure = metrics.counter(
    "stampede_ingest_backpressure_total",
    "Waits of a batch for something outside of ingest, by reason.",
    ["reason"],
  );
  for (const reason of BACKPRESSURE_REASONS) backpressure.inc({ reason }, 0);
  return {
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (error) => {
      retries.inc({ fault: faultOf(error) });
      const reason = backpressureOf(error);
      if (reason !== undefined) backpressure.inc({ reason });
    },
  };
}
