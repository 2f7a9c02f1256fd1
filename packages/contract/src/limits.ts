/**
 * Every bound of the system, in one place. Names carry their unit. The published contract fixes those that an
 * integrator can observe; the others are our own choice. `assertLimits` checks how they relate.
 */
export const LIMITS = {
  /** Contract, section 1: the largest request body. */
  bodyBytes: 8 * 1024 * 1024,
  /** Contract, section 1: request line and header fields together. */
  headerBlockBytes: 8 * 1024,
  /** Request bodies that one process may hold while they arrive; beyond that, new requests get 503. */
  bufferedBodyBytes: 32 * 1024 * 1024,
  /** A request whose header block or body has not arrived as a whole by then is given up. */
  requestReceiveMs: 30_000,
  /** An idle keep-alive connection is closed after this long (uWebSockets.js fixes it at 10 s). */
  keepAliveIdleMs: 10_000,

  /** Contract, section 5 and 6. */
  eventsPerRequest: 5000,
  membersPerRequest: 5000,
  attributesPerMember: 64,
  /**
   * Contract, section 6: entries with an issue that one answer lists; beyond that it says how many there are.
   */
  issuesPerAnswer: 100,
  refLength: 256,

  /** Contract, section 4. */
  pageLimitMax: 1000,
  pageLimitDefault: 500,
  pageSkipMax: 100_000,
  /**
   * Rows that one page of a list looks at, beside those that it leaves out, where no index serves the list's
   * condition: some 25 ms of CPU (decision 34).
   */
  rowsPerScan: 10_000,
  /** Stamps of one redemption that a list shows: a card of more is not one that anybody carries. */
  stampsPerRedemption: 1000,
  /** A page of redemptions ends with the one that reaches so many stamps. */
  stampsPerPage: 10_000,
  filterDepth: 5,
  filterLeaves: 100,
  filterValues: 1000,

  /** Contract, section 10: events of one webhook request. */
  eventsPerDelivery: 100,
  /** Contract, section 10: events, and the deliveries that are over, are kept for so long. */
  eventKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** Contract, section 10: connecting, the request and the whole answer of one attempt. */
  deliveryAttemptMs: 15_000,
  /** The part of a webhook's answer that is kept for people to read … */
  deliveryAnswerKeptBytes: 4 * 1024,
  /**
   * … and the most that the body of a 2xx may have: it is read to its end, so that the connection can be used
   * again.
   */
  deliveryAnswerBytes: 1024 * 1024,
  /** Connections to webhooks that one process keeps open between deliveries. */
  idleDeliveryConnections: 1024,
  /** Attempts of one delivery that are kept: the first half of them, and of the others the last. */
  deliveryAttemptsKept: 200,
  /** The part of each attempt's answer that is kept with it. */
  attemptAnswerKeptBytes: 1024,
  /** How far the events that wait for a webhook are counted. */
  pendingEventsCounted: 10_000,
  /** Events that one replay may name. */
  eventsPerReplay: 1000,
  /** How long `webhook/test` waits for its outcome: an attempt may take 15 s, and the rest is short. */
  webhookTestMs: 20_000,
  /** Tests of one organisation's webhooks under way in one edge process; beyond that 503. */
  webhookTestsUnderWay: 8,

  /** The largest body of a request to the console: a program with all its texts. */
  consoleBodyBytes: 256 * 1024,
  /** How long the console waits for an answer of an API: `webhook/test` takes longest. */
  consoleForwardMs: 25_000,
  /** A link into the console is good for so long, and once. */
  consoleLinkMs: 60 * 60 * 1000,
  /** Whoever came by a link needs another one after so long: a working day. */
  consoleSessionMs: 12 * 60 * 60 * 1000,
  /** Lines of the console's audit on one page. */
  consoleAuditPage: 100,
  /** Look-ups of the same by the same person within so long after the first are told in one line: a page asks several at once. */
  consoleAuditJoinMs: 60_000,

  /** Contract, section 8: payments of one request. */
  paymentsPerRequest: 5000,
  /** Enrolments, and clips, of which one purchase is explained. */
  linksExplained: 1000,
  /** Merchant ids, or descriptor prefixes, of one retailer or of the rules of one program or deal. */
  merchantsPerRecord: 1000,
  displayTextLength: 20_000,
  /** Purchases that a draft of a program or deal is tried on, of those that came within `dryRunMs`: the newest. */
  dryRunPurchases: 20_000,
  dryRunMs: 24 * 60 * 60 * 1000,
  dryRunExamples: 20,
  /**
   * Contract, section 8: how long after one half of a purchase the other may arrive, and how far apart their
   * times may be.
   */
  matchWindowMs: 30 * 24 * 60 * 60 * 1000,
  /** Pairs are kept for so long, so that a half that is sent again finds its pair. */
  pairedKeptMs: 180 * 24 * 60 * 60 * 1000,

  /** Contract, section 12: the least that settled transactions may be kept, and a hundred years. */
  transactionKeptDaysMin: 90,
  transactionKeptDaysMax: 36_500,

  /** Contract, section 6: an ingest request whose outcome is unknown by then is answered 202. */
  outcomeWaitMs: 5000,
  /** Contract, section 5: how long the outcome of a batch can be asked for. */
  batchKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Contract, section 12: how long rejected events are kept … */
  rejectionKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** … and how many of one organisation and minute; the others are counted. */
  rejectionsPerMinute: 1000,
  /** Contract, section 5: how long the first answer to an idempotency key is given again. */
  idempotencyKeyKeptMs: 24 * 60 * 60 * 1000,
  idempotencyKeyLength: 255,
  /** Secrets of one webhook that sign at the same time: a delivery's header carries a signature of each. */
  secretsPerWebhook: 8,
  /** Contract, section 6: events with ignored fields that an answer lists; the others are only counted. */
  ignoredEvents: 100,
  /** Parts that one confirmation to ingest names, some 50 bytes each. */
  partsPerConfirmation: 500,
  /**
   * Batches whose callers an edge process remembers to have told: an outcome that comes again is confirmed
   * like the first time.
   */
  toldBatches: 20_000,
  /** Events in one edge process that wait for their outcome; beyond that 503. */
  unansweredEvents: 20_000,
  /** Above this many waiting events a request is refused before its body is read. */
  unansweredEventsAtDoor: 16_000,
  /** Messages that one edge process may have published without an acknowledgement; beyond that 503. */
  publishesInFlight: 256,
  /** A packed message closes at this many events … */
  eventsPerMessage: 1000,
  /** … or at about this size (NATS refuses messages over 1 MiB by default). */
  messageBytes: 512 * 1024,
  /** What one stored stream message may weigh at most. */
  messageBytesMax: 1024 * 1024,

  /** Outcomes of one stream message. */
  outcomesPerMessage: 500,
  /**
   * Outcomes that a platform process has in memory until they are published, some 300 bytes each. What does
   * not fit is taken from their queue in PostgreSQL.
   */
  outcomesRemembered: 10_000,

  /** Rows that one database statement takes. */
  rowsPerBatch: 2000,
  /** A batch of at most so many is prepared where it is, and written in one statement. */
  rowsAtOnce: 64,
  /**
   * Messages of a partition that ingest reads ahead: more than two batches of full messages. This bounds the
   * memory of ingest.
   */
  messagesAhead: 32,
  /** If an edge does not confirm an outcome, ingest sends it again after so long … */
  confirmRepeatMs: 3_000,
  /** … up to so many times; then the outcome is recorded … */
  confirmRepeats: 20,
  /**
   * … and already after so long if nobody listens at that edge any more, because by then it has answered 202
   * at the latest.
   */
  confirmWaitMs: 8_000,
  /**
   * A stream whose last sequence is below the position is asked again for so long, before it counts as
   * restored from a copy: in a cluster, a node that has just lost the leadership may still answer.
   */
  rewoundPatienceMs: 30_000,
  /** How often positions are written while no batch does it, and streams purged of what is done. */
  positionWriteMs: 1_000,
  /**
   * Messages of one partition that platform or rewards holds at most, those that failed and wait for their
   * next attempt included: of an unordered hop.
   */
  messagesHeld: 16,
  /** A look at the locks of partitions is one short query. Without an answer by then nobody knows who owns what. */
  locksTimeoutMs: 2_000,
  /** Batches of records, outcomes and settlements that are less than half full start at least so far apart: no open request waits for them. */
  unorderedSpacingMs: 40,
  /** A message of an unordered hop that could not be handled is tried again after this long at the latest. */
  unorderedRetryMs: 500,
  /**
   * What could not be published is tried again after this long at the latest. A stream in a cluster elects a
   * leader for up to 9 s, and what waits for it must not sleep past the end of that.
   */
  publishRetryMs: 500,
  /**
   * How long the edge goes on trying while no stream takes a message: a leader that is told to go hands over
   * in less time.
   */
  publishPatienceMs: 2_000,
  /**
   * When it is unknown for this long, longer than an election, whether a message was stored, its partition is
   * closed to new requests until that is known. Otherwise each of them would wait 30 s to learn that nothing
   * is known of it.
   */
  publishSilenceMs: 10_000,
  /** A statement that takes longer is cancelled, and the batch is tried again. */
  statementTimeoutMs: 10_000,
  /**
   * How long a migration waits for a table's lock. It holds up everybody who asks for that table after it.
   */
  migrationLockMs: 1_000,
  /**
   * Drain: the time of a process between SIGTERM and its end, without the delay of `STAMPEDE_DRAIN_DELAY_MS`
   * before it. Whatever kills processes must wait longer (`terminationGracePeriodSeconds`, `TimeoutStopSec`,
   * the all-in-one start).
   */
  drainMs: 28_000,
  /**
   * Part of the drain: the time in which requests under way are answered. The rest is for what follows the
   * answers.
   */
  requestDrainMs: 23_000,
  /**
   * A draining server closes its remaining connections once no request has come on any of them for so long.
   */
  drainQuietMs: 1_000,
  /**
   * Part of the drain: the time for deliveries under way. Those that are cut off are made again by the next
   * process.
   */
  deliveryDrainMs: 7_000,
  /** The longest delay that may be asked of a draining process before it begins to end. */
  drainDelayMaxMs: 300_000,
} as const;

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long closing a database pool waits for its statements (`connectStore`). */
const STORE_CLOSE_MS = 5_000;

/** Throws when two bounds contradict each other. Called once at the start of every process. */
export function assertLimits(limits: typeof LIMITS = LIMITS): void {
  const rules: Array<[boolean, string]> = [
    [
      limits.confirmWaitMs > limits.outcomeWaitMs + 1_000,
      "confirmWaitMs must exceed the time in which the edge answers",
    ],
    [
      limits.messagesHeld > limits.rowsPerBatch / limits.eventsPerMessage,
      "messagesHeld must let one partition fill a batch",
    ],
    [
      limits.rowsPerScan > limits.pageLimitMax,
      "rowsPerScan must exceed the longest page, so that one without a condition is whole",
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
    [limits.unansweredEventsAtDoor < limits.unansweredEvents, "the door must close before the room is full"],
    [limits.bufferedBodyBytes >= 2 * limits.bodyBytes, "two full bodies must fit under bufferedBodyBytes"],
    [
      Math.max(limits.outcomeWaitMs, limits.webhookTestMs, 2 * limits.statementTimeoutMs) <
        limits.requestDrainMs,
      "a draining process must outlive the answers it still owes",
    ],
    [
      limits.requestDrainMs + STORE_CLOSE_MS <= limits.drainMs,
      "drainMs must leave time behind the last answer to close connections",
    ],
    [limits.deliveryDrainMs < limits.requestDrainMs, "deliveries must not be what a drain waits for"],
    [
      limits.drainQuietMs < limits.keepAliveIdleMs && limits.drainQuietMs < limits.requestDrainMs,
      "drainQuietMs must stay below the idle time-out and the drain",
    ],
    [
      2 * limits.migrationLockMs < limits.outcomeWaitMs,
      "a migration must not hold up an ingest until its answer is due",
    ],
    [
      limits.transactionKeptDaysMin * DAY_MS >
        Math.max(limits.eventKeptMs, 2 * limits.matchWindowMs) + DAY_MS,
      "a transaction must not leave before its webhook events, nor while a payment may still find it",
    ],
    [limits.webhookTestMs > limits.deliveryAttemptMs, "webhookTestMs must exceed deliveryAttemptMs"],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, rule]) => rule);
  if (broken.length > 0) throw new Error(`contradicting limits: ${broken.join("; ")}`);
}
