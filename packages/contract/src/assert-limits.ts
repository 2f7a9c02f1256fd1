import { LIMITS } from "./limits.ts";

type Limits = typeof LIMITS;
/** Whether it holds, and the fault if it does not. */
type Rule = readonly [holds: boolean, rule: string];

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long closing a database pool waits for its statements (`connectStore`). */
const STORE_CLOSE_MS = 5_000;

/** Throws when two bounds contradict each other. Called once at the start of every process. */
export function assertLimits(limits: Limits = LIMITS): void {
  const rules = [requestRules, streamRules, endRules, keepingRules].flatMap((rulesOf) => rulesOf(limits));
  const broken = rules.filter(([holds]) => !holds).map(([, rule]) => rule);
  if (broken.length > 0) throw new Error(`contradicting limits: ${broken.join("; ")}`);
}

/** Rules for incoming requests and their answers. */
function requestRules(limits: Limits): Rule[] {
  return [
    [
      limits.rowsPerScan > limits.pageLimitMax,
      "rowsPerScan must exceed the longest page, so that one without a condition is whole",
    ],
    [
      limits.pageBytes >= 16 * Math.max(limits.attributeBytesPerMember, limits.displayContentBytes),
      "a page must hold several records of the largest kind",
    ],
    [
      limits.bufferedBodyBytes >= 4 * limits.bodyBytes,
      "bufferedBodyBytes must leave room for a full body next to a sender that holds its share, half of it",
    ],
    [
      limits.unreadAnswerBytes >= 8 * limits.pageBytes,
      "unreadAnswerBytes must let an organisation that has its share, half of it, read four full pages together",
    ],
    [
      limits.connectionStillMs > limits.requestReceiveMs + 2_000,
      "connectionStillMs must leave time to say that a request did not arrive whole",
    ],
    [
      limits.connectionsPerAddress <= limits.connections / 2,
      "an address must leave half of the connections to others",
    ],
    [
      limits.slowedLookUps < limits.tokenLookUps,
      "look-ups of slowed addresses must leave room for those of others under tokenLookUps",
    ],
    [limits.bodyDepth > 2 * limits.filterDepth + 2, "a filter of filterDepth must fit under bodyDepth"],
  ];
}

/** Rules for messages in streams. */
function streamRules(limits: Limits): Rule[] {
  return [
    [
      limits.messagesHeld > limits.rowsPerBatch / limits.eventsPerMessage,
      "messagesHeld must let one partition fill a batch",
    ],
    [limits.messageBytes < limits.messageBytesMax, "messageBytes must stay below messageBytesMax"],
    [limits.eventsPerMessage <= limits.rowsPerBatch, "one message must fit into one batch"],
    [
      limits.outcomesPerMessage <= limits.outcomesRemembered,
      "outcomesRemembered must hold the outcomes of a message",
    ],
    [
      limits.unansweredEvents >= 2 * limits.eventsPerRequest,
      "two full requests must fit under unansweredEvents",
    ],
    [
      limits.aheadMs < limits.outcomeWaitMs / 2,
      "a request must leave for the stream long before its answer is due",
    ],
    [
      limits.eventsAhead >= 2 * limits.eventsPerMessage,
      "an organisation must have a full message in the stream while it gathers the next",
    ],
    [
      2 * limits.migrationLockMs < limits.outcomeWaitMs,
      "a migration must not hold up an ingest until its answer is due",
    ],
  ];
}

/** Rules for the end of a process. */
function endRules(limits: Limits): Rule[] {
  return [
    [
      Math.max(limits.outcomeWaitMs, limits.webhookTestMs, 2 * limits.statementTimeoutMs) <
        limits.requestDrainMs,
      "a draining process must outlive the answers it still owes",
    ],
    [
      limits.lineWaitMs + limits.statementTimeoutMs < limits.requestDrainMs,
      "a draining process must outlive a statement that has waited for its connection",
    ],
    [
      limits.requestDrainMs + STORE_CLOSE_MS <= limits.drainMs,
      "drainMs must leave time after the last answer to close connections",
    ],
    [
      limits.deliveryDrainMs < limits.requestDrainMs,
      "a drain must not wait longer for deliveries than for requests",
    ],
    [
      limits.drainQuietMs < limits.keepAliveIdleMs && limits.drainQuietMs < limits.requestDrainMs,
      "drainQuietMs must stay below the idle time-out and the drain",
    ],
  ];
}

/** Rules for retention and deliveries. */
function keepingRules(limits: Limits): Rule[] {
  return [
    [
      limits.transactionKeptDaysMin * DAY_MS >
        Math.max(limits.eventKeptMs, 2 * limits.matchWindowMs) + DAY_MS,
      "a transaction must not be removed before its webhook events, nor while a payment may still find it",
    ],
    [
      limits.deliveryReadBytes > limits.deliveryAnswerBytes + 64 * 1024,
      "deliveryReadBytes must let an answer of deliveryAnswerBytes through",
    ],
    [limits.webhookTestMs > limits.deliveryAttemptMs, "webhookTestMs must exceed deliveryAttemptMs"],
  ];
}
