import type { ConfigMessage } from "./schemas/platform-messages.ts";

/**
 * The services, each a process, in the order in which a transaction passes them; the console only observes.
 */
export const SERVICE_NAMES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/**
 * One hop of the pipeline. Streams and consumers are created from this table, and from nothing else.
 *
 * A full stream refuses new messages, and its publisher waits; room comes only from messages that are done.
 * So when the platform or rewards is away for long, first PLATFORM_TX or SETTLEMENT fills; then ingest waits
 * with its unpublished commits; then the ingest streams fill; and then the edge answers
 * 503. Once the consumer is back, everything continues without help. Only DEAD, which people read, drops its
 *      oldest messages.
 */
export interface Hop {
  /** Stream name; a partitioned hop has one stream per partition, `<stream>_<n>`. */
  readonly stream: string;
  /**
   * A partitioned hop appends `.<n>`; a hop that keeps each key's last message appends the key
   * (`configSubject`).
   */
  readonly subject: string;
  readonly partitioned: boolean;
  readonly producer: string;
  readonly consumer: string;
  /** The key that decides the partition: all messages of one key are in the same one. */
  readonly key: string;
  /**
   * - owned: one process of the consumer at a time reads a partition, and acknowledges nothing; messages that
   *   are done and
   *   older than the replay window are purged, except the last message of a key if that is kept.
   * - kept: no service consumes it.
   */
  readonly reading: "owned" | "kept";
  /**
   * Messages of a partition are handled in the order of their stream, from the position in Postgres; a
   * message that fails holds up those after it. Absent: in any order, from the place up to which all are
   * done, and a message that fails is tried again separately. So handlers of such a hop are idempotent.
   */
  readonly ordered?: boolean;
  /** When full: nothing is stored until there is room (refuse), or the oldest messages make room. */
  readonly full: "refuse" | "drop-oldest";
  /** The stream keeps only the last message of each key, for ever. Absent: it keeps all. */
  readonly lastPerKey?: boolean;
  /**
   * The stream carries messages about transactions to another system or service, and may fill
   * `STAMPEDE_LINK_MAX_BYTES`, all its partitions together, so that ingestion continues while that one is
   * away. Absent: `STAMPEDE_STREAM_MAX_BYTES`.
   */
  readonly link?: boolean;
  /** What happens to a message that could not be handled. */
  readonly retry: string;
  readonly maxAgeMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const FLOW = {
  ingest: {
    stream: "INGEST",
    subject: "ingest",
    partitioned: true,
    producer: "edge",
    consumer: "ingest",
    key: "external_id",
    reading: "owned",
    ordered: true,
    full: "refuse",
    retry: "the batch is tried again in place, so that its partition keeps its order",
    maxAgeMs: 0,
  },
  platformTransactions: {
    stream: "PLATFORM_TX",
    subject: "platform.transactions",
    partitioned: true,
    producer: "ingest",
    consumer: "platform",
    key: "external_id",
    reading: "owned",
    full: "refuse",
    link: true,
    retry: "tried again alone; records of a transaction may come in any order and any number",
    maxAgeMs: 0,
  },
  outcomes: {
    stream: "OUTCOMES",
    subject: "outcomes",
    partitioned: true,
    producer: "platform",
    consumer: "rewards",
    key: "stamp_collection_id or clip_id",
    reading: "owned",
    full: "refuse",
    link: true,
    retry: "tried again alone; a transaction has one stamp in a collection and a clip is redeemed once",
    maxAgeMs: 0,
  },
  settlement: {
    stream: "SETTLEMENT",
    subject: "settlement",
    partitioned: true,
    producer: "ingest",
    consumer: "rewards",
    key: "external_id",
    reading: "owned",
    full: "refuse",
    link: true,
    retry: "tried again alone; any number of equal ones mean the same",
    maxAgeMs: 0,
  },
  config: {
    stream: "CONFIG",
    subject: "config",
    partitioned: false,
    producer: "platform",
    consumer: "rewards",
    key: "program or deal",
    reading: "owned",
    full: "refuse",
    lastPerKey: true,
    retry: "tried again; an older revision never overwrites a newer one, so order does not matter",
    maxAgeMs: 0,
  },
  dead: {
    stream: "DEAD",
    subject: "dead",
    partitioned: false,
    producer: "ingest",
    consumer: "operator",
    key: "none",
    reading: "kept",
    full: "drop-oldest",
    retry: "put back by hand",
    maxAgeMs: 30 * DAY_MS,
  },
} as const satisfies Record<string, Hop>;

/** The hops that a service writes or reads. Every consumer may also store dead letters. */
export function hopsOf(service: string): readonly Hop[] {
  const hops = Object.values<Hop>(FLOW);
  const consumes = hops.some(({ consumer }) => consumer === service);
  return hops.filter(
    (hop) => hop.producer === service || hop.consumer === service || (consumes && hop === FLOW.dead),
  );
}

/** The subject of a program or deal, without the installation's prefix: `config.<kind>.<id>`. */
export function configSubject({ kind, id }: Pick<ConfigMessage, "kind" | "id">): string {
  return `${FLOW.config.subject}.${kind}.${id}`;
}

/** Message headers. */
export const HEADERS = {
  /** Trace ids of the requests in a packed message, in the order of its parts, joined by commas. */
  traceIds: "Stampede-Trace-Ids",
  /** The number of database rows in the message, so that batches can be cut without parsing it. */
  rows: "Stampede-Rows",
  /** The span that published the message (W3C Trace Context), if anything in the message is traced. */
  traceparent: "traceparent",
} as const;
