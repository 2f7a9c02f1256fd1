import type { TargetResult } from "../targets.ts";
import { READ_ROUTES } from "./read-plan.ts";
import { findMeasured, type ReadsResults } from "./results.ts";

const REQUESTS_PER_SECOND = 10_000;
const TIMES_THE_PEER = 3;

/** The first of each route holds on a machine of two cores that the load and the database share. */
export function judgeReads(results: ReadsResults): TargetResult[] {
  return READ_ROUTES.flatMap((route) => {
    const ours = findMeasured(results, route, "stampede")?.requestsPerSecond;
    const theirs = findMeasured(results, route, "peer")?.requestsPerSecond;
    const ratio = ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
    return [
      least(`${route}: requests/s`, ours, REQUESTS_PER_SECOND, "requests/s"),
      least(`${route}: requests/s against the peer`, ratio, TIMES_THE_PEER, "×"),
    ];
  });
}

function least(
  name: string,
  value: number | undefined,
  target: number,
  unit: TargetResult["unit"],
): TargetResult {
  return {
    name,
    value,
    bound: "at least",
    target,
    unit,
    met: value === undefined ? undefined : value >= target,
  };
}
