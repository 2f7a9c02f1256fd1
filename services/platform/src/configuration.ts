import type { DealRewardRule, RetailerRoutes, Rules } from "#domain";

/** All that matching goes by, of one moment. Ids are UUIDs. */
export interface Configuration {
  /** Grows with every change of a retailer, program or deal. */
  readonly version: number;
  readonly retailers: readonly RetailerRoutes[];
  /** Those that are not deleted. */
  readonly programs: ReadonlyArray<{ readonly id: string; readonly rules: Rules }>;
  readonly deals: ReadonlyArray<{
    readonly id: string;
    readonly rules: Rules;
    readonly reward: DealRewardRule;
  }>;
}
