import { type CostModel, fitCosts } from "./costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { PointRates } from "./measure-point.ts";
import {
  PLAN_SYNC_MS,
  type Plan,
  type PlanOfAll,
  planCapacity,
  planInstallations,
  TERMS,
  topologyOfPlan,
} from "./plan-capacity.ts";
import { oneMachine } from "./simulation/setting.ts";
import { type Simulated, simulate } from "./simulation/simulate.ts";

/**
 * How far a prediction may be from what was measured, either way. In it is what costs leave out: an event costs up to half as
 * much again where a core has little to do, and on a quiet machine the four were off by 2 to 18 %.
 */
export const FACTOR = 1.25;

interface Prediction {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
  /** predicted / measured. */
  readonly ratio: number;
  readonly holds: boolean;
  readonly simulated: Simulated;
}

const SEED = 1;
const CHECKED_SECONDS = 4;
const CHECKED_WARM_UP_SECONDS = 1;

/**
 * Predicts the closed loops, which had no part in the fit: on so many cores as others left free, with the generator's own
 * CPU time as it was measured. All else follows from the costs and the batching rules.
 */
export function checkPredictions(costs: CostModel, points: readonly PointRates[]): Prediction[] {
  return points.map((point) => {
    if (point.drivers.events === 0)
      throw new Error(`${point.name}: nothing was answered, so nothing can be predicted`);
    const { drivers, machineCores, otherCores, size, connections, name } = point;
    const generator = point.cores.generator ?? 0;
    const simulated = simulate({
      costs,
      topology: oneMachine(machineCores - otherCores),
      load: { kind: "closed", size, connections, generatorMicros: (generator * 1e6) / drivers.requests },
      matchedShare: drivers.matches / drivers.events,
      ...{ seed: SEED, seconds: CHECKED_SECONDS, warmUpSeconds: CHECKED_WARM_UP_SECONDS },
    });
    const ratio = simulated.eventsPerSecond / drivers.events;
    return {
      ...{ name, measured: drivers.events, predicted: simulated.eventsPerSecond, ratio, simulated },
      holds: ratio <= FACTOR && ratio >= 1 / FACTOR,
    };
  });
}

/** Everything that follows from the measurements; equal measurements give equal results. */
export interface ScalingResults {
  readonly measured: CostMeasurements;
  readonly costs: CostModel;
  readonly predictions: readonly Prediction[];
  readonly plans: readonly PlanResult[];
}

interface PlanResult {
  readonly eventsPerSecond: number;
  readonly alone: PlannedAndSimulated;
  readonly split: PlanOfAll & PlannedAndSimulated;
}

export interface PlannedAndSimulated {
  readonly plan: Plan;
  readonly simulated: Simulated;
  /** It answers what it is offered, and what is open at the end is what is under way. */
  readonly holds: boolean;
}

export const RATES = [100_000, 300_000, 1_000_000];
const SECONDS = 0.6;
const WARM_UP_SECONDS = 0.6;
/** Of what is offered, what must be answered for a plan to hold: arrivals are by chance, and differ that much. */
const ANSWERED_MIN = 0.95;
/** Events may be open for so long on average; past it a queue grows. */
const OPEN_SECONDS_MAX = 0.3;

/** @param rates events a second to plan for */
export function resultsOf(measured: CostMeasurements, rates: readonly number[] = RATES): ScalingResults {
  const costs = fitCosts(measured);
  const elsewhere = { ...costs, syncMs: PLAN_SYNC_MS };
  return {
    ...{ measured, costs },
    predictions: checkPredictions(costs, measured.predicted),
    plans: rates.map((eventsPerSecond) => {
      const terms = { ...TERMS, eventsPerSecond };
      const split = planInstallations(elsewhere, terms);
      return {
        eventsPerSecond,
        alone: tryPlan(elsewhere, planCapacity(elsewhere, terms)),
        split: { ...split, ...tryPlan(elsewhere, split.each) },
      };
    }),
  };
}

/** Runs one installation of a plan in simulated time, at the rate that it is made for. */
export function tryPlan(costs: CostModel, plan: Plan): PlannedAndSimulated {
  const { eventsPerSecond, size, matchedShare } = plan.terms;
  const simulated = simulate({
    costs,
    topology: topologyOfPlan(plan),
    load: { kind: "open", size, eventsPerSecond },
    ...{ matchedShare, seed: 1, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS },
  });
  const holds =
    simulated.eventsPerSecond >= ANSWERED_MIN * eventsPerSecond &&
    simulated.openEvents <= OPEN_SECONDS_MAX * eventsPerSecond;
  return { plan, simulated, holds };
}
