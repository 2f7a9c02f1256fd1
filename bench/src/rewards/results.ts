import type { Engine } from "./measure-engine.ts";
import type { Hot } from "./measure-hot.ts";
import type { Pipeline } from "./measure-pipeline.ts";
import type { Platform } from "./measure-platform.ts";

/** Each part, if it was measured. */
export interface RewardsResults {
  readonly engine: Engine | undefined;
  readonly hot: Hot | undefined;
  readonly platform: Platform | undefined;
  readonly pipeline: Pipeline | undefined;
}

/** All that did not turn out as it must, with the name of its part. */
export function faultsOf(results: object): string[] {
  return Object.entries(results).flatMap(
    ([part, measured]: [string, { faults: readonly string[] } | undefined]) =>
      (measured?.faults ?? []).map((fault) => `${part}: ${fault}`),
  );
}
