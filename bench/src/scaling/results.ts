import { type CostModel, fitCosts, loadOf, microsOf, PART_NAMES } from "./costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { PointRates } from "./measure-point.ts";
import { type Plan, planInstallations } from "./plan.ts";

/**
 * How far a prediction may be from what was measured, either way. In it is what costs leave out: an event costs up to half as
 * much again where a core has little to do, and a closed loop of single events waits more than it works.
 */
export const FACTOR = 1.25;

interface Prediction {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
  /** predicted / measured. */
  readonly ratio: number;
  readonly holds: boolean;
}

/**
 * Predicts the closed loops, which had no part in the fit: cores ÷ cost of an event. Cores are those that other programs and
 * idle processes left free. An event costs what the parts take for it and its share of a request, message, batch and match,
 * in the numbers counted in that loop, and what the load generator took, as measured: it is no part of Stampede.
 */
export function checkPredictions(costs: CostModel, points: readonly PointRates[]): Prediction[] {
  return points.map(({ name, drivers, cores, machineCores, otherCores }) => {
    const measured = drivers.events;
    if (measured === 0) throw new Error(`${name}: nothing was answered, so nothing can be predicted`);
    const parts = PART_NAMES.map((part) => costs[part]);
    const idleCores = parts.reduce((sum, part) => sum + part.idleCores, 0);
    const micros = parts.reduce((sum, part) => sum + microsOf(part, loadOf(drivers)), 0);
    const coresPerEvent = (micros / 1e6 + (cores.generator ?? 0)) / measured;
    const predicted = (machineCores - otherCores - idleCores) / coresPerEvent;
    const ratio = predicted / measured;
    return { name, measured, predicted, ratio, holds: ratio <= FACTOR && ratio >= 1 / FACTOR };
  });
}

/** Everything that follows from the measurements; equal measurements give equal results. */
export interface ScalingResults {
  readonly measured: CostMeasurements;
  readonly costs: CostModel;
  readonly predictions: readonly Prediction[];
  readonly plans: readonly {
    readonly eventsPerSecond: number;
    readonly installations: number;
    readonly each: Plan;
  }[];
}

const RATES = [100_000, 300_000, 1_000_000];

export function resultsOf(measured: CostMeasurements): ScalingResults {
  const costs = fitCosts(measured);
  return {
    ...{ measured, costs },
    predictions: checkPredictions(costs, measured.predicted),
    plans: RATES.map((eventsPerSecond) => ({
      eventsPerSecond,
      ...planInstallations(costs, eventsPerSecond),
    })),
  };
}
