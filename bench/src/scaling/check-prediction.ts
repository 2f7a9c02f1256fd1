import type { CostModel } from "./cost-model.ts";
import type { PointRates } from "./measure-point.ts";
import { oneMachine } from "./simulation/setting.ts";
import { type Simulated, simulate } from "./simulation/simulate.ts";

/**
 * How far a prediction may be from what was measured, either way. In it is what costs leave out: an event costs up to half as
 * much again where a core has little to do, and on a quiet machine the four were off by 2 to 18 %.
 */
export const FACTOR = 1.25;

export interface Prediction {
  readonly name: string;
  readonly measured: number;
  readonly predicted: number;
  /** predicted / measured. */
  readonly ratio: number;
  readonly holds: boolean;
  readonly simulated: Simulated;
}

const SEED = 1;
const SECONDS = 4;
const WARM_UP_SECONDS = 1;

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
      ...{ seed: SEED, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS },
    });
    const ratio = simulated.eventsPerSecond / drivers.events;
    return {
      ...{ name, measured: drivers.events, predicted: simulated.eventsPerSecond, ratio, simulated },
      holds: ratio <= FACTOR && ratio >= 1 / FACTOR,
    };
  });
}
