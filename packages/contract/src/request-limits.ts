/** Bounds of requests, their parts and their answers; a part of `LIMITS`. */
export const REQUEST_LIMITS = {
  /** Contract, section 1: the largest request body. */
  bodyBytes: 8 * 1024 * 1024,
  /** Contract, section 1: request line and header fields together. */
  headerBlockBytes: 8 * 1024,
  /**
   * Request bodies that one process may hold while they arrive; beyond that, new requests get 503. An
   * organisation (at the platform, a retailer) may hold as much of it as stays free beside it: half, if it is
   * alone.
   */
  bufferedBodyBytes: 32 * 1024 * 1024,
  /** A body from this size on waits for its turn to be parsed (`BodyTurns`): some 900 events, 5 ms of work. */
  largeBodyBytes: 256 * 1024,
  /** The longest pause behind one of them while others send. */
  bodyPauseMs: 250,
  /** A sender counts as sending for this long after its last request. */
  senderActiveMs: 1_000,
  /** A request whose header block or body has not arrived as a whole by then is given up. */
  requestReceiveMs: 30_000,
  /**
   * Requests that wait on a connection for the answers before them. More than a caller has a use for, and a few megabytes; what is
   * read at once may hold some 400.
   */
  pipelinedRequests: 1_000,
  /**
   * An idle keep-alive connection is closed after this long (uWebSockets.js fixes it at 10 s), and so is one
   * whose request is refused and whose body has not ended by then.
   */
  keepAliveIdleMs: 10_000,
  /** Connections of one process of the API; a further one is answered 503 and closed. uWebSockets.js counts none … */
  connections: 10_000,
  /** … and of them from one address (of IPv6, one /64) that is no trusted proxy's. */
  connectionsPerAddress: 2_000,
  /** Refused connections that wait for their end; what comes beyond them is closed without an answer. */
  connectionsRefused: 1_000,
  /**
   * A connection on which nothing moves for this long is closed, unless a request is being handled: above all one whose caller
   * does not read its answer. Longer than a request may take to arrive, of which the caller is told (uWebSockets.js: 10 s).
   */
  connectionStillMs: 45_000,
  /**
   * Answers that one process holds until their callers have read them, in bytes; shared out like bodies that arrive: beyond its
   * share an organisation gets 503. Only `node:http` can tell what is read.
   */
  unreadAnswerBytes: 128 * 1024 * 1024,
  /** An answer below this size does not count: the kernel takes it at once. */
  largeAnswerBytes: 64 * 1024,
  /** How deep objects and arrays of a request's body may be nested. Parsing takes 0.5 µs for each level. */
  bodyDepth: 64,
  /**
   * Requests of one process that wait for the look-up of a token that it does not know; beyond that 503. Of
   * each the head is in memory, and what came with it: 64 KiB at most with `node:http`.
   */
  tokenLookUps: 1000,
  /**
   * Look-ups for addresses that have used up their failures leave together, at most this many at a time: one
   * statement …
   */
  slowedLookUps: 250,
  /** … and so far apart: an attacker costs 20 statements a second, and a right token waits so long. */
  slowedLookUpMs: 50,

  /** Contract, section 5 and 6. */
  eventsPerRequest: 5000,
  membersPerRequest: 5000,
  /** Of a member's attributes after an upsert: keys, and bytes of their JSON without blanks. */
  attributesPerMember: 64,
  attributeBytesPerMember: 16 * 1024,
  /**
   * Contract, section 6: issues that one answer lists; beyond that it says how many there are.
   */
  issuesPerAnswer: 100,
  /**
   * Of a body up to this size, some 800 events, every fault is looked for; of a larger one the first of each entry. What costs most are
   * unknown keys: 40,000 of them 15 ms.
   */
  ordinaryBodyBytes: 256 * 1024,
  refLength: 256,

  /** What there may be at a time, unless settings say otherwise: of one organisation … */
  webhooksPerOrganisation: 100,
  tokensPerOrganisation: 1000,
  memberbasesPerOrganisation: 10_000,
  /** … and of one member. Every purchase takes these along to the platform. */
  enrolmentsPerMember: 1000,
  openClipsPerMember: 1000,

  /** Contract, section 4. */
  pageLimitMax: 1000,
  pageLimitDefault: 500,
  pageSkipMax: 100_000,
  /** Contract, section 1: a page of a list ends with the record before the one that would pass it, or has one record. */
  pageBytes: 4 * 1024 * 1024,
  /**
   * Rows that one page of a list looks at, beside those that it leaves out, where no index serves the list's
   * condition: some 25 ms of CPU (decision 34).
   */
  rowsPerScan: 10_000,
  /** Stamps of one redemption that a list shows: no real card has more. */
  stampsPerRedemption: 1000,
  /** A page of redemptions ends with the one that reaches this many stamps. */
  stampsPerPage: 10_000,
  filterDepth: 5,
  filterLeaves: 100,
  filterValues: 1000,
} as const;
