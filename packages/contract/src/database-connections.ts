import type { ServiceName } from "./service-names.ts";

/** Batches that one process has under way at once: one is read and decided while the other waits for the database. */
export const LANES = {
  /** The platform's records. */
  records: 2,
  /** Outcomes, and as many of settlements. */
  rewards: 2,
  /** Parts of one batch of outcomes that share no stamp collection and no clip. */
  rewardParts: 2,
} as const;

/** Connections that one process of a service opens to its database at most, by what they are for. */
export const DATABASE_CONNECTIONS = {
  edge: {
    /** Tokens and small reads: short queries, so few connections serve many requests. */
    requests: 8,
    /** Held for as long as the process lives: it is counted by the others by its lock. */
    member: 1,
  },
  /** Beside one for each of STAMPEDE_INGEST_WRITERS. */
  ingest: {
    /** Holds the locks of the partitions, and nothing else may make it wait. */
    locks: 1,
    /** Takes partitions over, writes positions and late outcomes. */
    positions: 2,
    /** What is swept in the background, so that a batch never waits for it. */
    sweeps: 1,
  },
  platform: {
    /** Tokens, configuration and its publication: short queries. */
    api: 4,
    /** One for each lane, as many for payments, one for outcomes on their way, one for what the background does. */
    matching: 2 * LANES.records + 2,
  },
  rewards: {
    /** Apart from the batches: configuration must show within a second, however much there is to reward. */
    config: 2,
    /** One for each part of each batch of outcomes, and for each batch of settlements. */
    batches: LANES.rewards * LANES.rewardParts + LANES.rewards,
  },
  webhooks: {
    /** One for each kind of statement: a take that is slow holds up no renewal. */
    dispatch: 6,
    /** For looks, sweeps and tests. */
    other: 2,
  },
} as const satisfies Record<ServiceName, Readonly<Record<string, number>>>;

/** All connections of one process of a service. */
export function connectionsOf(service: ServiceName, settings: { readonly ingestWriters: number }): number {
  const fixed = Object.values<number>(DATABASE_CONNECTIONS[service]).reduce((sum, count) => sum + count, 0);
  return service === "ingest" ? fixed + settings.ingestWriters : fixed;
}
