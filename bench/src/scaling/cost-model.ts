/** What work is counted by. */
export const DRIVERS = ["event", "request", "message", "batch", "match"] as const;
export type Driver = (typeof DRIVERS)[number];

/**
 * What each part's CPU time follows. `match` has all that a paid purchase brings, and what it costs the parts before that
 * members are enrolled. An ingest message and the messages that a batch makes come in equal numbers, so that NATS' cost of
 * both is in one of them.
 */
export const PARTS = {
  edge: ["event", "request", "message"],
  "edge database": ["request"],
  nats: ["event", "message", "match"],
  ingest: ["event", "batch", "match"],
  "ingest database": ["event", "batch", "match"],
  platform: ["event", "batch", "match"],
  "platform database": ["batch", "match"],
  rewards: ["event", "batch", "match"],
  "rewards database": ["event", "batch", "match"],
  webhooks: ["match"],
  "webhooks database": ["match"],
  "database background": ["event", "match"],
} as const satisfies Readonly<Record<string, readonly Driver[]>>;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

export interface PartCost {
  /** Microseconds of CPU time for one of each. */
  readonly micros: Readonly<Partial<Record<Driver, number>>>;
  /** Cores that it keeps busy with nothing to do. */
  readonly idleCores: number;
  /** Of its CPU time, the share of the one thread that runs our code; 1 where all is one thread. */
  readonly mainShare: number;
  /** How far the fitted costs are off the measured CPU time of a load, the worst of them, as a share of that load's whole. */
  readonly worstMiss: number;
}

export interface CostModel {
  readonly parts: Readonly<Record<PartName, PartCost>>;
  /** Milliseconds of one synced write. */
  readonly syncMs: number;
}

/** How many of each driver a part's work consists of. */
export type Load = Readonly<Partial<Record<Driver, number>>>;

/** Microseconds of CPU time that a part takes for this much. */
export function microsOf({ micros }: Pick<PartCost, "micros">, load: Load): number {
  return DRIVERS.reduce((sum, driver) => sum + (micros[driver] ?? 0) * (load[driver] ?? 0), 0);
}
