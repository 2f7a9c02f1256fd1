import { FLOW, type Hop } from "#contract";
import { countLostMessages, type LoopObserver, STREAM_FAULTS, streamFaultOf, UNREAD_REASONS } from "#nats";
import { DATABASE_FAULTS, databaseFaultOf } from "#postgres";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, timeWork } from "#runtime";
import type { OutcomeResult, SettlementResult } from "./decide-rewards.ts";

/** load: locking and reading. write: the writing statements. transaction: the whole database transaction. */
const STEPS = ["load", "write", "transaction"] as const;
type Step = (typeof STEPS)[number];

/** invalid: it does not have the form of its kind; refused: by the database. Both become dead letters. */
export type OutcomeLabel = OutcomeResult | "invalid" | "refused";
export type SettlementLabel = SettlementResult | "invalid" | "refused";

const OUTCOME_LABELS: readonly OutcomeLabel[] = [
  "applied",
  "already_stamped",
  "already_redeemed",
  "transaction_reverted",
  "unknown_target",
  "unknown_transaction",
  "link_too_late",
  "card_full",
  "invalid",
  "refused",
];
const SETTLEMENT_LABELS: readonly SettlementLabel[] = ["changed", "unchanged", "invalid", "refused"];

/** The metrics of one handler. An entry that is repeated counts again. */
export interface HandlerMetrics<Label extends string> extends LoopObserver {
  /** The results of entries: of a committed batch, or of entries that no database transaction handled. */
  decided(results: readonly Label[]): void;
  timed<T>(step: Step, work: () => Promise<T>): Promise<T>;
}

/** The metrics of outcomes and of settlements. */
export function createRewardMetrics(metrics: MetricFactory) {
  const outcomes = metrics.counter("stampede_rewards_outcomes_total", "Outcomes of the platform by result.", [
    "result",
  ]);
  for (const result of OUTCOME_LABELS) outcomes.inc({ result }, 0);
  const settlements = metrics.counter(
    "stampede_rewards_settlements_total",
    "Transactions that cleared, were reverted or got an amount, by whether that changed a reward.",
    ["result"],
  );
  for (const result of SETTLEMENT_LABELS) settlements.inc({ result }, 0);
  const handlerMetrics = createHandlerMetrics(metrics);
  return {
    outcomes: handlerMetrics<OutcomeLabel>(FLOW.outcomes, outcomes),
    settlements: handlerMetrics<SettlementLabel>(FLOW.settlement, settlements),
  };
}

/** The metrics of both handlers, distinguished by the stream that they read. */
function createHandlerMetrics(metrics: MetricFactory) {
  const messages = metrics.counter("stampede_rewards_messages_total", "Stream messages by outcome.", [
    "hop",
    "outcome",
    "reason",
  ]);
  const retries = metrics.counter("stampede_rewards_batch_retries_total", "Batches tried again, by fault.", [
    "hop",
    "fault",
  ]);
  const steps = metrics.histogram(
    "stampede_rewards_step_duration_seconds",
    "Time of one batch in one step.",
    DURATION_BUCKETS_SECONDS,
    ["hop", "step"],
  );
  const lost = countLostMessages(metrics);
  return <Label extends string>(read: Hop, results: ResultCounter<Label>): HandlerMetrics<Label> => {
    const hop = read.stream;
    messages.inc({ hop, outcome: "done", reason: "none" }, 0);
    for (const reason of UNREAD_REASONS) messages.inc({ hop, outcome: "dead", reason }, 0);
    for (const fault of FAULTS) retries.inc({ hop, fault }, 0);
    for (const step of STEPS) steps.zero({ hop, step });
    return {
      decided: (labels) => {
        for (const [result, times] of countEach(labels)) results.inc({ result }, times);
      },
      timed: (step, work) => timeWork(steps.startTimer({ hop, step }), work),
      outcome: (outcome, reason) => messages.inc({ hop, outcome, reason }),
      retried: (error) => retries.inc({ hop, fault: faultOf(error) }),
      gap: lost(read),
    };
  };
}

interface ResultCounter<Label extends string> {
  inc(labels: { readonly result: Label }, times: number): void;
}

/** Counts equal values, so that a metric is set once for each value: a call for each entry shows in a profile. */
function countEach<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Why configuration is refused (`createConfigHandler`). */
const REFUSALS = ["unreadable_message", "invalid_message", "refused_by_database"];

/** The metrics of configuration from the platform. */
export function createConfigMetrics(metrics: MetricFactory): LoopObserver {
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
    "Configuration messages tried again, by fault.",
    ["fault"],
  );
  for (const fault of FAULTS) retries.inc({ fault }, 0);
  return {
    outcome: (outcome, reason) => messages.inc({ outcome, reason }),
    retried: (error) => retries.inc({ fault: faultOf(error) }),
  };
}

/** Why a batch is tried again. */
const FAULTS = [...STREAM_FAULTS, ...DATABASE_FAULTS] as const;

function faultOf(error: unknown): (typeof FAULTS)[number] {
  return streamFaultOf(error) ?? databaseFaultOf(error);
}
