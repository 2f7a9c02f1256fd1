import { REQUEST_LIMITS } from "./request-limits.ts";

/**
 * Every bound of the system, in one place. Names include their unit. The published contract fixes the bounds
 * that an integrator can observe; the others are our own choice. `assertLimits` checks how they relate.
 */
export const LIMITS = {
  ...REQUEST_LIMITS,

  /** Contract, section 10: the most events in one webhook request. */
  eventsPerDelivery: 100,
  /** Contract, section 10: how long events and finished deliveries are kept. */
  eventKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** Contract, section 10: the time for connecting, the request and the whole answer of one attempt. */
  deliveryAttemptMs: 15_000,
  /** The part of a webhook's answer that is kept for people to read … */
  deliveryAnswerKeptBytes: 4 * 1024,
  /**
   * … and the most that the body of a 2xx may have: it is read to its end, so that the connection can be used
   * again. Beyond that another connection costs less.
   */
  deliveryAnswerBytes: 64 * 1024,
  /**
   * The most bytes read from the network for one attempt: such an answer with its head, its chunks and TLS's
   * records …
   */
  deliveryReadBytes: 64 * 1024 + 128 * 1024,
  /** … and the interim answers (1xx) before it. */
  deliveryInterimAnswers: 16,
  /** Connections to webhooks that one process keeps open between deliveries. */
  idleDeliveryConnections: 1024,
  /** Attempts kept of one delivery: the first ones, up to half of this, and the last ones. */
  deliveryAttemptsKept: 200,
  /** The part of each attempt's answer that is kept with it. */
  attemptAnswerKeptBytes: 1024,
  /** The number up to which the waiting events of a webhook are counted. */
  pendingEventsCounted: 10_000,
  /** Events that one replay may name, and that one step of a longer replay puts into deliveries. */
  eventsPerReplay: 1000,
  /** Events that one statement of a replay reads: some 20 ms … */
  replayRowsPerLook: 20_000,
  /** … and how many such statements its request makes: a longer span is not counted to its end. */
  replayLooks: 50,
  /** Replays of one webhook queued in steps at a time. */
  replaysPerWebhook: 10,
  /** Pending deliveries of one webhook beyond which a replay makes no more: it waits, or is refused. */
  deliveriesPending: 1000,
  /** How long announcing waits for the lock on a webhook's queue before it goes on without that webhook. */
  announceLockWaitMs: 100,
  /** How long `webhook/test` waits for its outcome: an attempt may take 15 s, and the rest is short. */
  webhookTestMs: 20_000,
  /** Tests of one organisation's webhooks under way in one edge process; beyond that 503. */
  webhookTestsUnderWay: 8,

  /** The largest body of a request to the console: a program with all its texts. */
  consoleBodyBytes: 256 * 1024,
  /** How long the console waits for an answer of an API: `webhook/test` takes longest. */
  consoleForwardMs: 25_000,
  /** A link into the console is valid for this long, and once. */
  consoleLinkMs: 60 * 60 * 1000,
  /** A session that a link opened ends after a working day. */
  consoleSessionMs: 12 * 60 * 60 * 1000,
  /** Open sessions and links of the console that are listed. */
  consoleEntrancesListed: 500,
  /** Lines of the console's audit on one page. */
  consoleAuditPage: 100,
  /**
   * The audit joins look-ups of the same record by the same person into one line, for this long after the
   * first: a page sends several together.
   */
  consoleAuditJoinMs: 60_000,
  /**
   * The audit shows a value before or after a change in full up to this many characters of JSON, otherwise
   * its beginning.
   */
  consoleAuditValueLength: 1000,
  /** The subject of a line of the audit is cut to this many characters; ids are shorter. */
  consoleAuditSubjectLength: 400,

  /** Contract, section 8: payments of one request. */
  paymentsPerRequest: 5000,
  /** Enrolments, and clips, that one explanation of a purchase may have. */
  linksExplained: 1000,
  /** Merchant ids, or descriptor prefixes, of one retailer or of the rules of one program or deal. */
  merchantsPerRecord: 1000,
  displayTextLength: 20_000,
  /** Bytes of JSON in a program's or deal's `display_content`, without blanks. */
  displayContentBytes: 64 * 1024,
  /** The least number of revisions kept of one retailer, program or deal … */
  revisionsKept: 1000,
  /**
   * … if the texts of their settings are no longer together: 240 changes of a retailer with 1,000 of the
   * longest merchant ids …
   */
  revisionBytesKept: 16 * 1024 * 1024,
  /**
   * … and how long a replaced revision is kept while there are more: the longest dispute of a purchase takes
   * less.
   */
  revisionKeptMs: 400 * 24 * 60 * 60 * 1000,
  /** The newest purchases within `dryRunMs`, on which a draft of a program or deal is tried. */
  dryRunPurchases: 20_000,
  dryRunMs: 24 * 60 * 60 * 1000,
  dryRunExamples: 20,
  /**
   * Contract, section 8: how long after one half of a purchase the other may arrive, and how far apart their
   * times may be.
   */
  matchWindowMs: 30 * 24 * 60 * 60 * 1000,
  /**
   * How long pairs, and records whose wait is over, are kept: a half that is sent again finds its pair, and
   * does not wait again.
   */
  pairedKeptMs: 180 * 24 * 60 * 60 * 1000,

  /** Contract, section 12: the least that settled transactions may be kept, and a hundred years. */
  transactionKeptDaysMin: 90,
  transactionKeptDaysMax: 36_500,

  /** Contract, section 6: an ingest request whose outcome is unknown by then is answered 202. */
  outcomeWaitMs: 5000,
  /** Contract, section 5: how long the outcome of a batch can be read. */
  batchKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Contract, section 5: characters of a batch's id, however many partitions it has events in. */
  batchIdLength: 1000,
  /** Contract, section 12: how long rejected events are kept … */
  rejectionKeptMs: 30 * 24 * 60 * 60 * 1000,
  /**
   * … and how many per organisation and minute; the others are only counted. The same number of events with
   * ignored fields.
   */
  rejectionsPerMinute: 1000,
  /** Contract, section 5: how long the first answer to an idempotency key is repeated. */
  idempotencyKeyKeptMs: 24 * 60 * 60 * 1000,
  idempotencyKeyLength: 255,
  /** Secrets of one webhook that sign at the same time: a delivery's header carries a signature of each. */
  secretsPerWebhook: 8,
  /** Contract, section 6: events with ignored fields that an answer without `outcomes` lists; the others are only counted. */
  ignoredEvents: 100,
  /**
   * Events in one edge process that wait for their outcome; beyond that 503. One organisation gets three quarters of it at
   * most, four full requests (`UnansweredEvents`).
   */
  unansweredEvents: 28_000,
  /** A request of at most this many events is a small one … */
  smallRequestEvents: 100,
  /**
   * … and small requests get this much additional room, in addition to one request of an organisation that
   * has nothing here yet.
   */
  unansweredSmallEvents: 2_000,
  /**
   * An organisation with at most this many unanswered events may still send small requests into that room.
   */
  smallUnansweredEvents: 1_000,
  /**
   * The approximate bytes of an event in a body: a body that would not find room is refused before it is
   * parsed.
   */
  eventBytesAtDoor: 512,
  /**
   * Events that one edge process has in the streams before ingest reports on them, while several
   * organisations send. One organisation gets half of that, so that few are ahead of the events of others: at
   * 20,000 events/s, 0.05 s.
   */
  eventsAhead: 2_000,
  /**
   * An event counts as reported after this time, and a request that has waited this long for its turn waits
   * no longer.
   */
  aheadMs: 2_000,
  /** An organisation counts as active for this long after its last event. */
  organisationActiveMs: 60_000,
  /** Messages that one edge process may have published without an acknowledgement; beyond that 503. */
  publishesInFlight: 256,
  /** A packed message closes at this many events … */
  eventsPerMessage: 1000,
  /** … or at about this size (NATS refuses messages over 1 MiB by default). */
  messageBytes: 512 * 1024,
  /** The most bytes of one stored stream message. */
  messageBytesMax: 1024 * 1024,

  /** Outcomes of one stream message. */
  outcomesPerMessage: 500,
  /**
   * Outcomes that a platform process keeps in memory until they are published, some 300 bytes each. It takes
   * the others from their queue in PostgreSQL.
   */
  outcomesRemembered: 10_000,
  /**
   * Redemptions of one card that may still be undone. Every outcome and settlement of the card looks all of
   * them up, some 20 µs each, and holds a place under `messagesHeld` meanwhile. While a card has this many,
   * its new outcomes wait.
   */
  pendingRedemptionsPerCard: 1_000,

  /** Rows that one database statement takes. */
  rowsPerBatch: 2000,
  /** A batch of at most this many is prepared on the main thread, and written in one statement. */
  rowsAtOnce: 64,
  /**
   * Messages of a partition that ingest reads ahead: more than two batches of full messages. This bounds the
   * memory of ingest.
   */
  messagesAhead: 32,
  /**
   * Keys that the owner of a partition remembers of one organisation: the latest ones. Some 2 MB of keys of
   * 36 characters.
   */
  knownKeysPerOrganisation: 16_384,
  /**
   * Keys that one ingest process remembers, of all organisations and partitions together: 16 organisations of
   * the above, or more of fewer keys each. A thirty-second part of the memory that Compose gives ingest.
   */
  knownKeysBytes: 32 * 1024 * 1024,
  /**
   * A stream whose last sequence is below the position is asked again for this long, before it counts as
   * restored from a copy: in a cluster, a node that has just lost the leadership may still answer.
   */
  rewoundPatienceMs: 30_000,
  /** How often positions are written, if no batch does it, and streams purged of finished messages. */
  positionWriteMs: 1_000,
  /**
   * The most messages of one partition that platform or rewards holds, including those that failed and wait
   * for their next attempt: of an unordered hop.
   */
  messagesHeld: 16,
  /** A query of the partitions' or the edges' locks is short. Without an answer by then, the owners are unknown. */
  locksTimeoutMs: 2_000,
  /**
   * The least time between the starts of batches of records, outcomes and settlements that are less than half
   * full: no open request waits for them.
   */
  unorderedSpacingMs: 40,
  /** A message of an unordered hop that could not be handled is tried again after this long at the latest. */
  unorderedRetryMs: 500,
  /**
   * The longest delay before an unpublished message is tried again. A stream in a cluster elects a leader for
   * up to 9 s, and a waiting message must not sleep past the end of that.
   */
  publishRetryMs: 500,
  /**
   * How long the edge tries while no stream accepts a message: a leader that is told to step down hands over
   * in less time.
   */
  publishPatienceMs: 2_000,
  /**
   * If it stays unknown for this long, longer than an election, whether a message was stored, its partition
   * is closed to new requests until that is known. Otherwise each of them would wait 30 s and get no outcome.
   */
  publishSilenceMs: 10_000,
  /** A statement that takes longer is cancelled, and the batch is tried again. */
  statementTimeoutMs: 10_000,
  /**
   * Statements of one caller's organisation that wait for a connection of a pool that it shares with others:
   * some 0.2 s of short ones. Beyond that, it gets 503.
   */
  waitingPerLine: 500,
  /** How long such a statement waits before its caller gets 503. */
  lineWaitMs: 5_000,
  /**
   * How long a migration waits for a table's lock. It holds up all sessions that ask for that table after it.
   */
  migrationLockMs: 1_000,
  /**
   * Drain: the time of a process between SIGTERM and its end, without the delay of `STAMPEDE_DRAIN_DELAY_MS`
   * before it. A supervisor that kills processes must wait longer (`terminationGracePeriodSeconds`, `TimeoutStopSec`,
   * the all-in-one start).
   */
  drainMs: 28_000,
  /**
   * Part of the drain: the time in which requests under way are answered. The rest is for what follows the
   * answers.
   */
  requestDrainMs: 23_000,
  /** A draining server closes its remaining connections once none of them has had a request for this long. */
  drainQuietMs: 1_000,
  /**
   * Part of the drain: the time for deliveries under way. The next process repeats those that are cut off.
   */
  deliveryDrainMs: 7_000,
  /** The longest configurable delay before a draining process begins to end. */
  drainDelayMaxMs: 300_000,
} as const;
