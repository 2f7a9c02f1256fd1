import type { Arena } from "../arena.ts";
import { describeSurroundings, round, sealLine } from "../record.ts";
import { FACTOR } from "./check-prediction.ts";
import type { CostMeasurements } from "./measure-costs.ts";
import type { ScalingOptions } from "./options.ts";
import { faultsOf, type ScalingResults } from "./results.ts";

/** A line of bench/results/scaling.jsonl: the measurements whole, from which all the rest follows. */
export function describeScaling(
  options: ScalingOptions,
  { servers }: Pick<Arena, "servers">,
  results: ScalingResults,
  startedAt: Date,
) {
  const { mode, seed, members, seconds, warmUpSeconds } = options;
  return sealLine({
    ...describeSurroundings(mode, servers, startedAt),
    workload: { seed, members, seconds, warm_up_seconds: warmUpSeconds },
    measured: shorten(results.measured),
    check: {
      factor: FACTOR,
      points: results.predictions.map(({ name, measured, predicted, ratio, holds }) => ({
        ...{ name, measured: round(measured), predicted: round(predicted), ratio: round(ratio), holds },
      })),
    },
    verified: { faults: faultsOf(results, true) },
  });
}

/** What a record holds of what was measured is enough to compute it all again, so it is read back as such. */
export interface ScalingLine {
  readonly started_at: string;
  readonly commit: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly versions: { readonly node: string; readonly postgres: string; readonly nats: string };
  readonly durability: { readonly filesystem: string };
  readonly measured: CostMeasurements;
}

/** Six digits say more than was measured. */
function shorten<T>(value: T): T {
  const text = JSON.stringify(value, (_key, one) =>
    typeof one === "number" ? Number(one.toPrecision(6)) : one,
  );
  return JSON.parse(text) as T;
}
