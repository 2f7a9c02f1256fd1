import { DELIVERY_ERROR_CLASSES } from "#domain/webhooks";
import { DURATION_BUCKETS_SECONDS, type MetricFactory, timeWork } from "#runtime";
import type { DeliveryAttempt } from "./deliveries/attempt-record.ts";
import { UNSIGNED } from "./make-attempt.ts";

type NextKind = DeliveryAttempt["next"]["kind"];

const NEXT_KINDS: readonly NextKind[] = ["delivered", "retry", "split", "parked", "disable"];

/** The dispatcher's names of its statements. */
const STATEMENTS = ["horizon", "lease", "renew", "target", "take", "record", "release"] as const;
export type StatementName = (typeof STATEMENTS)[number];

export interface DispatchObserver {
  attempted(attempt: DeliveryAttempt, events: number): void;
  timed<T>(statement: StatementName, work: () => Promise<T>): Promise<T>;
}

/** The metrics of deliveries. A request that is repeated because its record was lost counts again. */
export function createDispatchMetrics(metrics: MetricFactory): DispatchObserver {
  const attempts = metrics.counter(
    "stampede_webhooks_attempts_total",
    "Requests to webhooks by result: `delivered`, or why not.",
    ["result"],
  );
  for (const result of ["delivered", ...DELIVERY_ERROR_CLASSES, UNSIGNED.errorClass])
    attempts.inc({ result }, 0);
  const deliveries = metrics.counter(
    "stampede_webhooks_deliveries_total",
    "Requests by what followed: delivered, to be tried again, split, parked, or the webhook disabled.",
    ["next"],
  );
  for (const next of NEXT_KINDS) deliveries.inc({ next }, 0);
  const delivered = metrics.counter(
    "stampede_webhooks_events_delivered_total",
    "Events in requests that were answered with 2xx.",
  );
  const answers = metrics.tracedHistogram(
    "stampede_webhooks_answer_duration_seconds",
    "Time of one request, until its answer was read or it was given up.",
    [...DURATION_BUCKETS_SECONDS, 15],
  );
  const statements = metrics.histogram(
    "stampede_webhooks_statement_duration_seconds",
    "Time of one statement, which serves many webhooks.",
    DURATION_BUCKETS_SECONDS,
    ["statement"],
  );
  for (const statement of STATEMENTS) statements.zero({ statement });
  return {
    attempted: ({ deliveryId, errorClass, durationMs, next }, events) => {
      attempts.inc({ result: errorClass ?? "delivered" });
      deliveries.inc({ next: next.kind });
      if (errorClass === null) delivered.inc(events);
      // The delivery's id stands in for a trace id: it finds the row in `webhook_deliveries`, since Postgres also reads
      // UUIDs without hyphens.
      answers.observe({}, durationMs / 1000, deliveryId.replaceAll("-", ""));
    },
    timed: (statement, work) => timeWork(statements.startTimer({ statement }), work),
  };
}
