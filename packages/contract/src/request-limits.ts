/** Bounds of requests, their parts and their answers; a part of `LIMITS`. */
export const REQUEST_LIMITS = {
  /** Contract, section 1: the largest request body. */
  bodyBytes: 8 * 1024 * 1024,
  /** Contract, section 1: request line and header fields together. */
  headerBlockBytes: 8 * 1024,
  /**
   * Request bodies that one process may hold while they arrive; beyond that, new requests get 503. An
   * organisation (at the platform, a retailer) may hold as much of it as is free: half, if it is the only
   * one.
   */
  bufferedBodyBytes: 32 * 1024 * 1024,
  /**
   * A body of this size or more waits for its turn to be parsed (`BodyTurns`): some 900 events, 5 ms of work.
   */
  largeBodyBytes: 256 * 1024,
  /** The longest pause after such a body while others send. */
  bodyPauseMs: 250,
  /** A sender counts as active for this long after its last request. */
  senderActiveMs: 1_000,
  /** A request whose header block or body is incomplete after this time is abandoned. */
  requestReceiveMs: 30_000,
  /**
   * Requests that wait on a connection for earlier answers. More than any caller needs, and a few megabytes;
   * one read may hold some 400.
   */
  pipelinedRequests: 1_000,
  /**
   * An idle keep-alive connection is closed after this time (uWebSockets.js fixes it at 10 s). So is one
   * whose request is refused and whose body has not ended by then.
   */
  keepAliveIdleMs: 10_000,
  /**
   * Connections of one process of the API; a further one is answered 503 and closed. uWebSockets.js counts
   * none …
   */
  connections: 10_000,
  /** … and the connections from one address (of IPv6, one /64) that is no trusted proxy. */
  connectionsPerAddress: 2_000,
  /** Refused connections that wait for their end; further ones are closed without an answer. */
  connectionsRefused: 1_000,
  /**
   * A connection without any traffic is closed after this time, unless a request is being handled: most of
   * all one whose caller does not read its answer. Longer than a request may take to arrive, so that its
   * caller gets an answer (uWebSockets.js: 10 s).
   */
  connectionStillMs: 45_000,
  /**
   * Bytes of answers that one process holds until their callers have read them; shared like arriving bodies:
   * beyond its share an organisation gets 503. Only `node:http` reports how much was read.
   */
  unreadAnswerBytes: 128 * 1024 * 1024,
  /** An answer below this size does not count: the kernel takes it immediately. */
  largeAnswerBytes: 64 * 1024,
  /** How deep objects and arrays of a request's body may nest. Parsing takes 0.5 µs for each level. */
  bodyDepth: 64,
  /**
   * Requests of one process that wait for the look-up of an unknown token; beyond that 503. For each, memory
   * holds the head and everything that came with it: at most 64 KiB with `node:http`.
   */
  tokenLookUps: 1000,
  /**
   * Look-ups for addresses that have used up their failures are sent together, at most this many: one
   * statement …
   */
  slowedLookUps: 250,
  /** … and this far apart: an attacker costs 20 statements a second, and a valid token waits this long. */
  slowedLookUpMs: 50,

  /** Contract, section 5 and 6. */
  eventsPerRequest: 5000,
  membersPerRequest: 5000,
  /** A member's attributes after an upsert: keys, and bytes of their JSON without blanks. */
  attributesPerMember: 64,
  attributeBytesPerMember: 16 * 1024,
  /** Contract, section 6: issues that one answer lists; beyond that it gives their number. */
  issuesPerAnswer: 100,
  /**
   * In a body up to this size, some 800 events, every fault is reported; in a larger one the first of each
   * entry. Unknown keys cost most: 40,000 of them 15 ms.
   */
  ordinaryBodyBytes: 256 * 1024,
  refLength: 256,

  /** The most records at a time, unless settings say otherwise: of one organisation … */
  webhooksPerOrganisation: 100,
  tokensPerOrganisation: 1000,
  memberbasesPerOrganisation: 10_000,
  /** … and of one member. Every purchase carries these to the platform. */
  enrolmentsPerMember: 1000,
  openClipsPerMember: 1000,

  /** Contract, section 4. */
  pageLimitMax: 1000,
  pageLimitDefault: 500,
  pageSkipMax: 100_000,
  /**
   * Contract, section 1: a page of a list ends before the record that would exceed this, but has at least one
   * record.
   */
  pageBytes: 4 * 1024 * 1024,
  /**
   * Rows that one page of a list reads, in addition to skipped ones, if no index serves the list's condition:
   * some 25 ms of CPU (decision 34).
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
