import { checkPredictions, type Prediction } from "./check-prediction.ts";
import type { CostModel } from "./cost-model.ts";
import { fitCosts } from "./fit-costs.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import {
  PLAN_SYNC_MS,
  type Plan,
  type PlanOfAll,
  planCapacity,
  planInstallations,
  TERMS,
  topologyOfPlan,
} from "./plan-capacity.ts";
import { type Simulated, simulate } from "./simulation/simulate.ts";

/** Everything that follows from the measurements; equal measurements give equal results. */
export interface ScalingResults {
  readonly measured: CostMeasurements;
  readonly costs: CostModel;
  readonly predictions: readonly Prediction[];
  readonly plans: readonly PlanResult[];
}

export interface PlanResult {
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

export function faultsOf({ measured, predictions }: ScalingResults, isJudged: boolean): string[] {
  const missed = predictions.filter(({ holds }) => !holds && isJudged);
  return [
    ...measured.faults,
    ...missed.map(({ name, ratio }) => `${name}: predicted is ${ratio.toFixed(2)} × measured`),
  ];
}
