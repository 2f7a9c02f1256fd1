import { type CostModel, fitCosts, loadOf, microsOf, PART_NAMES } from "./costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { PointRates } from "./measure-point.ts";
import { type Plan, planInstallations } from "./plan.ts";

/**
 * The tolerance of a prediction, either way. It covers the effects that the costs ignore: an event costs up
 * to half as much again on a core with little to do, and a closed loop of single events waits more than it
 * works.
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
 * Predicts the closed loops, which were not used for the fit: cores ÷ cost of an event. Cores are those that
 * other programs and idle processes left free. The cost of an event is the parts' cost of it and of its share
 * of a request, message, batch and match, in the numbers counted in that loop, plus the measured cost of the
 * load generator, which is no part of Stampede.
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
