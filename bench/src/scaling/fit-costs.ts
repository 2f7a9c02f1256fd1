import {
  type CostModel,
  type Driver,
  type Load,
  microsOf,
  PART_NAMES,
  PARTS,
  type PartCost,
  type PartName,
} from "./cost-model.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { Drivers, PointRates } from "./measure-point.ts";
import { solveNonNegative } from "./solve-non-negative.ts";

const MICROS = 1e6;
/** Two ticks of the kernel's clock a second: below that a measured value says little, and shall not weigh more. */
const FLOOR_CORES = 0.02;

/** What one of each driver costs each part: least squares over the loads, nothing below zero, idle time taken off. */
export function fitCosts(measured: Pick<CostMeasurements, "idle" | "fitted" | "syncMs">): CostModel {
  const parts = PART_NAMES.map((part) => [part, fitPart(part, measured)] as const);
  return { parts: Object.fromEntries(parts) as Record<PartName, PartCost>, syncMs: measured.syncMs };
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

/** Of a Node process; whatever else is one thread for our purposes: a backend is, and NATS spreads over all cores. */
function mainShareOf(part: PartName, fitted: readonly PointRates[]): number {
  const main = fitted.reduce((sum, point) => sum + (point.mainCores[part] ?? 0), 0);
  const all = fitted.reduce((sum, point) => sum + (point.cores[part] ?? 0), 0);
  return part === "nats" || main === 0 || all === 0 ? 1 : Math.min(1, main / all);
}
