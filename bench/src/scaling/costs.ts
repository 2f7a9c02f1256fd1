import type { CostMeasurements } from "./measure-costs.ts";
import type { Drivers, PointRates } from "./measure-point.ts";

/** The units of work. */
export const DRIVERS = ["event", "request", "message", "batch", "match"] as const;
export type Driver = (typeof DRIVERS)[number];

/**
 * The drivers of each part's CPU time. `match` includes everything that a paid purchase causes, and the cost
 * of enrolled members for the parts before a match. Ingest messages and the messages that a batch makes come
 * in equal numbers, so NATS' cost of both is in one of them.
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
  /** Cores that it keeps busy when idle. */
  readonly idleCores: number;
  /** The share of its CPU time in the one thread that runs JavaScript; 1 if all is one thread. */
  readonly mainShare: number;
  /**
   * The largest deviation of the fitted costs from the measured CPU time of a load, as a share of that load's
   * whole.
   */
  readonly worstMiss: number;
}

/** What each part costs. */
export type CostModel = Readonly<Record<PartName, PartCost>>;

/** The number of each driver in a part's work. */
export type Load = Readonly<Partial<Record<Driver, number>>>;

/** Microseconds of CPU time of a part for this much work. */
export function microsOf({ micros }: Pick<PartCost, "micros">, load: Load): number {
  return DRIVERS.reduce((sum, driver) => sum + (micros[driver] ?? 0) * (load[driver] ?? 0), 0);
}

const MICROS = 1e6;
/**
 * Two ticks of the kernel's clock a second: a measured value below that is inexact, and must not weigh more.
 */
const FLOOR_CORES = 0.02;

/**
 * The cost of one of each driver for each part: least squares over the loads, nothing below zero, idle time
 * subtracted.
 */
export function fitCosts(measured: Pick<CostMeasurements, "idle" | "fitted">): CostModel {
  const parts = PART_NAMES.map((part) => [part, fitPart(part, measured)] as const);
  return Object.fromEntries(parts) as CostModel;
}

export function loadOf({ events, requests, messages, batches, matches }: Drivers): Load {
  return { event: events, request: requests, message: messages, batch: batches, match: matches };
}

function fitPart(part: PartName, { idle, fitted }: Pick<CostMeasurements, "idle" | "fitted">): PartCost {
  const drivers: readonly Driver[] = PARTS[part];
  const idleOf = ({ matched }: PointRates) => (matched ? idle.matched : idle.plain)[part] ?? 0;
  const busy = fitted.map((point) => Math.max(0, (point.cores[part] ?? 0) - idleOf(point)));
  const weights = busy.map((cores) => 1 / (cores + FLOOR_CORES));
  const rows = fitted.map((point, at) =>
    drivers.map((driver) => ((loadOf(point.drivers)[driver] ?? 0) / MICROS) * (weights[at] as number)),
  );
  const solution = solveNonNegative(
    rows,
    busy.map((cores, at) => cores * (weights[at] as number)),
  );
  const micros = Object.fromEntries(drivers.map((driver, at) => [driver, solution[at] as number]));
  const misses = fitted.map((point, at) => {
    const whole = Object.values(point.cores).reduce((sum, cores) => sum + cores, 0);
    return Math.abs(microsOf({ micros }, loadOf(point.drivers)) / MICROS - (busy[at] as number)) / whole;
  });
  return {
    micros,
    idleCores: idle.plain[part] ?? 0,
    mainShare: mainShareOf(part, fitted),
    worstMiss: Math.max(0, ...misses),
  };
}

/**
 * For a Node process. All other parts count as one thread: a backend is one, and NATS spreads over all cores.
 */
function mainShareOf(part: PartName, fitted: readonly PointRates[]): number {
  const main = fitted.reduce((sum, point) => sum + (point.mainCores[part] ?? 0), 0);
  const all = fitted.reduce((sum, point) => sum + (point.cores[part] ?? 0), 0);
  return part === "nats" || main === 0 || all === 0 ? 1 : Math.min(1, main / all);
}

const ROUNDS = 5_000;

/**
 * Least squares with no unknown below zero, one unknown at a time until nothing moves (coordinate descent;
 * the problem is convex, so it ends at the optimum). Columns that are all zero get zero.
 * @param rows an equation each: the factors of the unknowns
 */
function solveNonNegative(rows: readonly (readonly number[])[], wanted: readonly number[]): number[] {
  const unknowns = rows[0]?.length ?? 0;
  const solution = new Array<number>(unknowns).fill(0);
  const left = [...wanted];
  for (let round = 0; round < ROUNDS; round++) {
    let moved = 0;
    for (let column = 0; column < unknowns; column++) {
      moved = Math.max(moved, improve(rows, left, solution, column));
    }
    if (moved < 1e-12) break;
  }
  return solution;
}

/** Sets one unknown to its best value while the others stay; returns by what share it moved. */
function improve(
  rows: readonly (readonly number[])[],
  left: number[],
  solution: number[],
  column: number,
): number {
  let dot = 0;
  let square = 0;
  for (const [at, row] of rows.entries()) {
    const factor = row[column] as number;
    dot += factor * (left[at] as number);
    square += factor * factor;
  }
  if (square === 0) return 0;
  const before = solution[column] as number;
  const after = Math.max(0, before + dot / square);
  solution[column] = after;
  for (const [at, row] of rows.entries())
    left[at] = (left[at] as number) - (row[column] as number) * (after - before);
  return Math.abs(after - before) / (Math.abs(after) + 1e-12);
}
