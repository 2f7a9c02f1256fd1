import type { Measured } from "./tally.ts";
import type { WorkloadSpec } from "./workload.ts";

/** Lanes are connections, requests are batches. */
export interface CeilingJob {
  readonly spec: WorkloadSpec;
  readonly members: number;
  readonly databaseUrl: string;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface CeilingResult {
  readonly measured: Measured;
  /** As in `LoadResult`. */
  readonly fates: Uint8Array;
}
