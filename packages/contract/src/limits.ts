/**
 * Every bound of the system, in one place. Names carry their unit. The ones that an integrator can observe are
 * fixed by the published contract; the others are ours, and `assertLimits` holds the relations between them.
 */
export const LIMITS = {
  /** Contract, section 1: the largest request body. */
  bodyBytes: 8 * 1024 * 1024,
  /** Contract, section 1: request line and header fields together. */
  headerBlockBytes: 8 * 1024,
  /** Request bodies that one process may hold while they arrive; past it new requests get 503. */
  bufferedBodyBytes: 32 * 1024 * 1024,
  /** A request whose header block or body has not arrived whole by then is given up. */
  requestReceiveMs: 30_000,
  /** An idle keep-alive connection is closed after this long (uWebSockets.js fixes it at 10 s). */
  keepAliveIdleMs: 10_000,

  /** Contract, section 5 and 6. */
  eventsPerRequest: 5000,
  membersPerRequest: 5000,
  attributesPerMember: 64,
  /** Contract, section 6: of a request with more malformed entries the answer says how many there are. */
  issuesPerAnswer: 100,
  refLength: 256,

  /** Contract, section 4. */
  pageLimitMax: 1000,
  pageLimitDefault: 500,
  pageSkipMax: 100_000,
  filterDepth: 5,
  filterLeaves: 100,
  filterValues: 1000,

  /** Contract, section 10: events of one webhook request. */
  eventsPerDelivery: 100,
  /** Contract, section 10: events, and the deliveries that are over, are kept for so long. */
  eventKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** Contract, section 10: connecting, the request and the whole answer of one attempt. */
  deliveryAttemptMs: 15_000,
  /** What is kept of the answer to a delivery, for people to read … */
  deliveryAnswerKeptBytes: 4 * 1024,
  /** … and what a 2xx may weigh at most: it is read to its end, so that the connection can be used again. */
  deliveryAnswerBytes: 1024 * 1024,
  /** Connections to webhooks that one process keeps open between deliveries. */
  idleDeliveryConnections: 1024,
  /** Events that one replay may name. */
  eventsPerReplay: 1000,
  /** How long `webhook/test` waits for its outcome: an attempt may take 15 s, and what is around it is short. */
  webhookTestMs: 20_000,
  /** Tests of one organisation that one edge process has under way; past it 503. */
  webhookTestsUnderWay: 8,

  /** Contract, section 8: payments of one request. */
  paymentsPerRequest: 5000,
  /** Merchant ids, or descriptor prefixes, of one retailer or of the rules of one program or deal. */
  merchantsPerRecord: 1000,
  displayTextLength: 20_000,
  /** Contract, section 8: how long after one half of a purchase the other may arrive, and how far apart they may be. */
  matchWindowMs: 30 * 24 * 60 * 60 * 1000,
  /** Pairs stay known for so long, so that a half that is sent again meets itself. */
  pairedKeptMs: 180 * 24 * 60 * 60 * 1000,

  /** Contract, section 6: an ingest whose outcome is unknown by then is answered 202. */
  outcomeWaitMs: 5000,
  /** Contract, section 5: how long the outcome of a batch can be asked for. */
  batchKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Contract, section 5: how long the first answer to an idempotency key is given again. */
  idempotencyKeyKeptMs: 24 * 60 * 60 * 1000,
  idempotencyKeyLength: 255,
  /** Secrets of one webhook that sign at a time: each delivery carries a signature of every one in a header. */
  secretsPerWebhook: 8,
  /** Contract, section 6: events listed of which something was ignored; the others are only counted. */
  ignoredEvents: 100,
  /** Parts that one confirmation to ingest names: some 50 bytes each. */
  partsPerConfirmation: 500,
  /** Batches that an edge process remembers to have told; an answer that comes again is confirmed as the first time. */
  toldBatches: 20_000,
  /** Events in one edge process that wait for their outcome; past it 503. */
  unansweredEvents: 20_000,
  /** Above this many of them a request is refused before its body is read. */
  unansweredEventsAtDoor: 16_000,
  /** Messages that one edge process may have published without an acknowledgement; past it 503. */
  publishesInFlight: 256,
  /** A packed message closes at this many events … */
  eventsPerMessage: 1000,
  /** … or at about this size (NATS refuses messages over 1 MiB by default). */
  messageBytes: 512 * 1024,
  /** Under load the messages of one partition leave at least so far apart, each with more in it. */
  messageSpacingMs: 0,
  /** What one stored stream message may weigh at most. */
  messageBytesMax: 1024 * 1024,

  /** Outcomes of one stream message. */
  outcomesPerMessage: 500,

  /** Rows that one database statement takes. */
  rowsPerBatch: 2000,
  /** A batch of at most so many is prepared where it is, and written in one statement. */
  rowsAtOnce: 64,
  /** Under load batches of less than half of that start at least so far apart. */
  batchSpacingMs: 0,
  /**
   * Messages of a partition that ingest reads ahead: more than two batches' worth of full ones. It is what bounds the memory
   * of ingest.
   */
  messagesAhead: 32,
  /** An edge that does not confirm what it told is told the outcome again after so long … */
  confirmRepeatMs: 3_000,
  /** … so many times; what is not confirmed then is recorded … */
  confirmRepeats: 20,
  /** … and after so long if nobody listens there any more: the edge has answered 202 by then at the latest. */
  confirmWaitMs: 8_000,
  /**
   * How long a stream that says less than was applied from it is asked again, before it is taken for one that was restored
   * from a copy: in a cluster a node that has just lost the leadership may still answer.
   */
  rewoundPatienceMs: 30_000,
  /** How often what is done is written down and purged from the streams while no batch does it. */
  positionWriteMs: 1_000,
  /** Messages of a shared hop that may be handed out and not acknowledged. */
  maxAckPending: 32,
  /**
   * A record, outcome or settlement that was not acknowledged by then is redelivered: what a process that was killed had
   * taken goes to another one after this long. A batch under way says so every third of it, so it may take longer.
   */
  sharedAckWaitMs: 12_000,
  /**
   * The same for configuration, which must show within a second (contract, section 8) even if the process that it was
   * handed to dies. Too short for a slow commit, and that is harmless: it is applied by revision, however often.
   */
  configAckWaitMs: 1_000,
  /** The same between batches of records, outcomes and settlements, which nobody waits for with an open request. */
  sharedSpacingMs: 40,
  /** A message of a hop without order that could not be handled is tried again at the latest after this long. */
  sharedRetryMs: 500,
  /**
   * What was not published is tried again at the latest after this long. A stream in a cluster elects a leader for up to 9 s,
   * and what waits for it must not sleep past the end of that.
   */
  publishRetryMs: 500,
  /** How long the edge tries to publish what no stream takes: a leader that is told to go hands over in less. */
  publishPatienceMs: 2_000,
  /**
   * A message that is unknown for longer than an election takes: its partition is closed to new requests until it is known, or
   * each of them would wait 30 s to be told that nothing is known of it.
   */
  publishSilenceMs: 10_000,
  /** A statement that takes longer is cancelled and the batch tried again. */
  statementTimeoutMs: 10_000,
  /** How long a migration waits for a table's lock, and so holds up everybody who comes behind it. */
  migrationLockMs: 1_000,
  /**
   * Drain: what a process gets between SIGTERM and its end, the delay of `STAMPEDE_DRAIN_DELAY_MS` before it not counted.
   * Whoever ends processes must wait longer (`terminationGracePeriodSeconds`, `TimeoutStopSec`, the all-in-one start).
   */
  drainMs: 28_000,
  /** Of that: what requests under way get to be answered. The rest is for what is behind them. */
  requestDrainMs: 23_000,
  /** A draining server closes the connections that are left once no request has come for so long on any. */
  drainQuietMs: 1_000,
  /** Of a drain, what deliveries under way get: the next process makes again what is cut. */
  deliveryDrainMs: 7_000,
  /** What a caller may make a draining process wait at most before it begins to end. */
  drainDelayMaxMs: 300_000,
} as const;

/** What closing a database pool leaves to its statements (`connectStore`). */
const STORE_CLOSE_MS = 5_000;

/** Throws when two bounds contradict each other. Called once at the start of every process. */
export function assertLimits(limits: typeof LIMITS = LIMITS): void {
  const rules: Array<[boolean, string]> = [
    [
      limits.confirmWaitMs > limits.outcomeWaitMs + 1_000,
      "confirmWaitMs must exceed the time in which the edge answers",
    ],
    [
      limits.sharedAckWaitMs > limits.statementTimeoutMs,
      "sharedAckWaitMs must exceed a statement timeout, or nothing says that a batch is under way",
    ],
    [limits.sharedRetryMs < limits.configAckWaitMs, "sharedRetryMs must stay below configAckWaitMs"],
    [limits.messageBytes < limits.messageBytesMax, "messageBytes must stay below messageBytesMax"],
    [limits.eventsPerMessage <= limits.rowsPerBatch, "one message must fit into one batch"],
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
    [limits.webhookTestMs > limits.deliveryAttemptMs, "webhookTestMs must exceed deliveryAttemptMs"],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, rule]) => rule);
  if (broken.length > 0) throw new Error(`contradicting limits: ${broken.join("; ")}`);
}
