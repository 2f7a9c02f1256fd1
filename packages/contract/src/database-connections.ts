import type { ServiceName } from "./flow.ts";

/**
 * Lanes: the batches that one process handles concurrently. One is read and decided while another is written.
 */
export const LANES = {
  /** For the platform's records; its payments have as many connections. */
  records: 2,
  /** For outcomes, and as many for settlements. */
  rewards: 2,
  /**
   * Parts of one batch of outcomes that are applied concurrently; they share no stamp collection and no clip.
   */
  rewardParts: 2,
} as const;

/** The most connections that one process of a service opens to its database, by purpose. */
export const DATABASE_CONNECTIONS = {
  edge: {
    /** Tokens and small reads: short queries, so few connections serve many requests. */
    requests: 8,
    /** Held for the life of the process: the other processes count this one by its lock. */
    member: 1,
  },
  /** Without the connections of STAMPEDE_INGEST_WRITERS, one each. */
  ingest: {
    /** Holds the locks of the partitions; no other statement may use it and make the locks wait. */
    locks: 1,
    /** Takes partitions over, writes positions and late outcomes. */
    positions: 2,
    /** For background sweeps, so that a batch never waits for one. */
    sweeps: 1,
  },
  platform: {
    /** Tokens, configuration and its publication: short queries. */
    api: 4,
    /** One for each lane, as many for payments, one for publishing outcomes, and one for background work. */
    matching: 2 * LANES.records + 2,
    /** Like that of ingest. */
    locks: 1,
  },
  rewards: {
    /** Apart from the batches: configuration takes effect within a second, even behind a backlog. */
    config: 2,
    /** One for each part of each batch of outcomes, and for each batch of settlements. */
    batches: LANES.rewards * LANES.rewardParts + LANES.rewards,
    /** Like that of ingest. */
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
