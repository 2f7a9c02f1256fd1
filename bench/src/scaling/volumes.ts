import type { CostMeasurements } from "./measure-costs.ts";
import type { PointRates } from "./measure-point.ts";

/** Bytes that an event takes on each way, as NATS, PostgreSQL and the kernel count them. */
export interface Volumes {
  /** Packed messages; about what the request weighed. */
  readonly edgeToNats: number;
  readonly natsToIngest: number;
  /** Records and settlements. */
  readonly ingestToNats: number;
  readonly natsToPlatform: number;
  readonly natsToRewards: number;
  readonly writeAheadLog: number;
  /** Written to disk by all of PostgreSQL, the write-ahead log included. */
  readonly databaseDisk: number;
  readonly natsDisk: number;
}

const COUNTERS = {
  edgeToNats: "from.edge",
  natsToIngest: "to.ingest",
  ingestToNats: "from.ingest",
  natsToPlatform: "to.platform",
  natsToRewards: "to.rewards",
  writeAheadLog: "wal.bytes",
  databaseDisk: "written.database",
  natsDisk: "written.nats",
} as const satisfies Record<keyof Volumes, string>;

/** Of the closed loop with requests of 500: it has most events, and the same settings as the canonical benchmark. */
export function volumesOf({ predicted }: Pick<CostMeasurements, "predicted">, matched: boolean): Volumes {
  const point = predicted.find((one) => one.matched === matched && one.size === 500) as PointRates;
  const perEvent = (counter: string) => (point.rates[counter] ?? 0) / point.drivers.events;
  const volumes = Object.entries(COUNTERS).map(([name, counter]) => [name, perEvent(counter)]);
  return Object.fromEntries(volumes) as unknown as Volumes;
}
