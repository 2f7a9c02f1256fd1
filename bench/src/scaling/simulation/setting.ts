import type { CostModel } from "../costs.ts";

/** What is there: how many of everything, and on what. */
export interface Topology {
  readonly edges: number;
  readonly partitions: number;
  readonly ingests: number;
  /** STAMPEDE_INGEST_WRITERS. */
  readonly writers: number;
  /** Each of platform, rewards and webhooks. */
  readonly followers: number;
  readonly natsNodes: number;
  /** Copies of each stream. */
  readonly replicas: number;
  /** Postgres servers that each batch is spread over. */
  readonly shards: number;
  /**
   * shared: one machine with so many cores does everything, the load included. apart: a machine for each process, with as
   * many for an edge or ingest, a NATS node and a shard.
   */
  readonly machines:
    | { readonly kind: "shared"; readonly cores: number }
    | {
        readonly kind: "apart";
        readonly processCores: number;
        readonly natsCores: number;
        readonly shardCores: number;
      };
}

type OfferedLoad =
  | {
      readonly kind: "closed";
      readonly size: number;
      readonly connections: number;
      /** The generator's own CPU time for a request: given, not predicted. */
      readonly generatorMicros: number;
    }
  | { readonly kind: "open"; readonly size: number; readonly eventsPerSecond: number };

export interface SimulationSetting {
  readonly costs: CostModel;
  readonly topology: Topology;
  readonly load: OfferedLoad;
  /** Of the events, how many are purchases that are paid at a retailer. */
  readonly matchedShare: number;
  readonly seed: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** One machine: a process of each service with default settings. */
export function oneMachine(cores: number): Topology {
  return {
    ...{
      edges: 1,
      partitions: 2,
      ingests: 1,
      writers: 2,
      followers: 1,
      natsNodes: 1,
      replicas: 1,
      shards: 1,
    },
    machines: { kind: "shared", cores },
  };
}
