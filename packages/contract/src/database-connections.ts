import type { ServiceName } from "./flow.ts";

/** Lanes: batches that one process handles at once. One is read and decided while another is written. */
export const LANES = {
  /** Of the platform's records; its payments have as many connections. */
  records: 2,
  /** Of outcomes, and as many of settlements. */
  rewards: 2,
  /** Parts of one batch of outcomes that are applied at once; they share no stamp collection and no clip. */
  rewardParts: 2,
} as const;

/** Connections that one process of a service opens to its database at most, by what they are for. */
export const DATABASE_CONNECTIONS = {
  edge: {
    /** Tokens and small reads: short queries, so few connections serve many requests. */
    requests: 8,
    /** Held for as long as the process lives: its lock is how the other processes count this one. */
    member: 1,
  },
  /** Without those of STAMPEDE_INGEST_WRITERS, one each. */
  ingest: {
    /** Holds the locks of the partitions; nothing else may use it and make the locks wait. */
    locks: 1,
    /** Takes partitions over, writes positions and late outcomes. */
    positions: 2,
    /** For sweeping in the background, so that a batch never waits for it. */
    sweeps: 1,
  },
  platform: {
    /** Tokens, configuration and its publication: short queries. */
    api: 4,
    /** One for each lane, as many for payments, one for publishing outcomes, and one for background work. */
    matching: 2 * LANES.records + 2,
    /** As that of ingest. */
    locks: 1,
  },
  rewards: {
    /** Apart from the batches: configuration takes effect within a second, even behind a backlog. */
    config: 2,
    /** One for each part of each batch of outcomes, and for each batch of settlements. */
    batches: LANES.rewards * LANES.rewardParts + LANES.rewards,
    /** As that of ingest. */
    locks: 1,
  },
  webhooks: {
    /** One for each kind of statement: a slow taking of deliveries must not hold up the renewal of leases. */
    dispatch: 6,
    /** For samples, sweeps and tests of webhooks. */
    other: 2,
  },
  console: {
    /** Sessions and lines of the audit: one short statement or two a request, of a few people. */
    requests: 2,
  },
} as const satisfies Record<ServiceName, Readonly<Record<string, number>>>;

/** All connections of one process of a service. */
export function connectionsOf(service: ServiceName, settings: { readonly ingestWriters: number }): number {
  const fixed = Object.values<number>(DATABASE_CONNECTIONS[service]).reduce((sum, count) => sum + count, 0);
  return service === "ingest" ? fixed + settings.ingestWriters : fixed;
}
