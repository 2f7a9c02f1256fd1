import { FLOW } from "#contract";
import { DISQUALIFICATIONS, ROUTING_OUTCOMES, type RoutingOutcome } from "#domain";
import { countLostMessages, type LoopObserver, STREAM_FAULTS, streamFaultOf, UNREAD_REASONS } from "#nats";
import { DATABASE_FAULTS, databaseFaultOf } from "#postgres";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, timeWork } from "#runtime";
import type { Judged } from "./matching/judge.ts";
import type { OutcomeQueueSize } from "./matching/outcome-queue.ts";
import type { Pairing } from "./matching/pair-halves.ts";

export type LinkMetrics = ReturnType<typeof createLinkMetrics>;

/** Metrics of the publication of programs and deals. */
export function createLinkMetrics(metrics: MetricFactory) {
  const messages = metrics.counter(
    "stampede_platform_config_messages_total",
    "Programs and deals published to the stream, by result.",
    ["result"],
  );
  for (const result of ["stored", "known", "failed"]) messages.inc({ result }, 0);
  const republications = metrics.counter(
    "stampede_platform_config_republications_total",
    "Comparisons of all programs and deals with the stream.",
  );
  return {
    /** `stored`: published now. `known`: the stream had it already. `failed`: the publisher tries it again. */
    published: (result: "stored" | "known" | "failed") => messages.inc({ result }),
    /** All programs and deals are compared with the stream: at the start, after an outage, after the stream was wiped. */
    republished: () => republications.inc(),
  };
}

const STEPS = ["store_records", "pair_records", "store_payments", "pair_payments"] as const;
type Step = (typeof STEPS)[number];

/** invalid: refused by the schema; refused: by the database. Both become dead letters. */
const RECORD_RESULTS = [...ROUTING_OUTCOMES, "invalid", "refused"] as const;

export type MatchingMetrics = ReturnType<typeof createMatchingMetrics>;

/** Metrics of matching. If a batch is tried again after its commit, it counts again, except for pairs. */
export function createMatchingMetrics(metrics: MetricFactory) {
  const records = metrics.counter(
    "stampede_platform_records_total",
    "Records of publishers by the result of routing.",
    ["result"],
  );
  for (const result of RECORD_RESULTS) records.inc({ result }, 0);
  const payments = metrics.counter("stampede_platform_payments_total", "Payments of retailers by result.", [
    "result",
  ]);
  for (const result of ["new", "known"]) payments.inc({ result }, 0);
  const pairs = metrics.counter("stampede_platform_pairs_total", "Records that found their payment.");
  const disqualified = metrics.counter(
    "stampede_platform_disqualifications_total",
    "Enrolments and clips that earned nothing with a purchase, by reason.",
    ["reason"],
  );
  for (const reason of DISQUALIFICATIONS) disqualified.inc({ reason }, 0);
  const steps = metrics.histogram(
    "stampede_platform_step_duration_seconds",
    "Time of one batch in one step.",
    DURATION_BUCKETS_SECONDS,
    ["step"],
  );
  for (const step of STEPS) steps.zero({ step });
  const judged = (what: Judged) => {
    for (const reason of what.disqualified) disqualified.inc({ reason });
  };
  return {
    /** Notes the records of a finished batch. */
    records: (
      routed: ReadonlyMap<RoutingOutcome, number>,
      wrong: { readonly invalid: number; readonly refused: number },
    ) => {
      for (const [result, count] of routed) records.inc({ result }, count);
      for (const [result, count] of Object.entries(wrong)) records.inc({ result }, count);
    },
    payments: ({ created, known }: { readonly created: number; readonly known: number }) => {
      payments.inc({ result: "new" }, created);
      payments.inc({ result: "known" }, known);
    },
    /** The decisions of a committed database transaction. */
    judged,
    paired: (pairing: Pairing) => {
      pairs.inc(pairing.pairs);
      judged(pairing);
    },
    timed: <T>(step: Step, work: () => Promise<T>) => timeWork(steps.startTimer({ step }), work),
    ...createQueueMetrics(metrics),
    ...createMessageMetrics(metrics),
  };
}

function createQueueMetrics(metrics: MetricFactory) {
  const queue = metrics.gauge("stampede_platform_outcome_queue", "Outcomes that wait for their publication.");
  const waiting = metrics.gauge(
    "stampede_platform_outcome_queue_oldest_seconds",
    "How long the oldest outcome in the queue has waited.",
  );
  return {
    queued: (size: OutcomeQueueSize) => {
      queue.set(size.outcomes);
      waiting.set(size.waitingSeconds);
    },
  };
}

function createMessageMetrics(metrics: MetricFactory): LoopObserver {
  const messages = metrics.counter(
    "stampede_platform_messages_total",
    "Stream messages with records, by outcome.",
    ["outcome", "reason"],
  );
  messages.inc({ outcome: "done", reason: "none" }, 0);
  for (const reason of UNREAD_REASONS) messages.inc({ outcome: "dead", reason }, 0);
  const retries = metrics.counter(
    "stampede_platform_batch_retries_total",
    "Batches of records tried again, by fault.",
    ["fault"],
  );
  for (const fault of [...STREAM_FAULTS, ...DATABASE_FAULTS]) retries.inc({ fault }, 0);
  return {
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (error) => retries.inc({ fault: streamFaultOf(error) ?? databaseFaultOf(error) }),
    gap: countLostMessages(metrics)(FLOW.platformTransactions),
  };
}
