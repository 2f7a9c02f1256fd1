import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, known, modeOf, ONE, type Places, placesOf, SEVERAL } from "../arguments.ts";

export type RewardsPart = "engine" | "hot" | "platform" | "pipeline";
const PARTS: readonly RewardsPart[] = ["engine", "hot", "platform", "pipeline"];

export interface RewardsOptions extends Places {
  readonly mode: "rewards" | "rewards-quick" | "rewards-partial";
  readonly parts: readonly RewardsPart[];
  readonly seed: number;
  /** engine: outcomes of the platform. */
  readonly outcomes: number;
  /** hot: outcomes of each run. */
  readonly hotOutcomes: number;
  /** platform: halves that are stored before anything is measured, one half of them records, the other payments. */
  readonly halves: number;
  readonly retailers: number;
  /** platform: records that come in, one in ten of them for a retailer. */
  readonly records: number;
  /** platform: requests with payments, and payments in each. */
  readonly requests: number;
  readonly perRequest: number;
  /** pipeline: members, all of them enrolled. */
  readonly members: number;
  /** pipeline: of each measured run. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** hot and pipeline. */
  readonly repetitions: number;
  /** pipeline: share of the usual amount of requests to prepare. */
  readonly abundance: number;
  readonly profileDir: string | undefined;
}

export const REWARDS_USAGE = `npm run bench -- rewards [options]

  (none)                 the whole of it, some six minutes; a third of that is to store ten million halves
  --quick                the same path with small numbers, under a minute

  --only PART            only engine, hot, platform or pipeline; repeatable
  --outcomes N           outcomes for the engine
  --halves N             stored halves; at least 40 000
  --records N            records that come in
  --seconds N            of each measured run of the pipeline
  --repetitions N        of what is measured in turn (hot, pipeline)
  --seed N               other data
  --profile DIR          CPU profiles of the services, written when they end
  --results DIR          where the line goes
  --dir DIR              where PostgreSQL and NATS keep their data (a disk, not tmpfs)
`;

const HALVES_MIN = 40_000;

const WHOLE = {
  outcomes: 200_000,
  hotOutcomes: 60_000,
  halves: 10_000_000,
  // A prime: what goes by a half's number goes by its retailer's in no way.
  retailers: 499,
  records: 600_000,
  requests: 24,
  perRequest: 5000,
  members: 100_000,
  seconds: 8,
  warmUpSeconds: 2,
  repetitions: 3,
  abundance: 1,
};
const QUICK: typeof WHOLE = {
  outcomes: 6_000,
  hotOutcomes: 3_000,
  halves: HALVES_MIN,
  retailers: 4,
  records: 8_000,
  requests: 4,
  perRequest: 1000,
  members: 2_000,
  seconds: 1,
  warmUpSeconds: 0.25,
  repetitions: 1,
  abundance: 0.12,
};

/** @throws Error that says what is wrong with the arguments */
export function readRewardsOptions(args: readonly string[]): RewardsOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      only: SEVERAL,
      outcomes: ONE,
      halves: ONE,
      records: ONE,
      seconds: ONE,
      repetitions: ONE,
      seed: ONE,
      profile: ONE,
    },
  });
  if (values.help) return "help";
  const { only, outcomes, halves, records, seconds, repetitions, seed, profile } = values;
  const narrowed = [only, outcomes, halves, records, seconds, repetitions, seed, profile];
  const base = values.quick ? QUICK : WHOLE;
  const stored = count("--halves", halves, base.halves);
  if (stored < HALVES_MIN) throw new Error(`--halves is at least ${HALVES_MIN}, not ${stored}`);
  const retailers = Math.min(base.retailers, Math.ceil(stored / HALVES_MIN) * QUICK.retailers);
  return {
    mode: modeOf("rewards", values, narrowed),
    ...base,
    parts: known("--only", only, PARTS) ?? PARTS,
    outcomes: count("--outcomes", outcomes, base.outcomes),
    halves: stored,
    retailers,
    requests: Math.min(base.requests, retailers),
    // A request pays for every second record of its retailer at most.
    perRequest: Math.min(base.perRequest, Math.floor(stored / 4 / retailers)),
    records: count("--records", records, base.records),
    seconds: count("--seconds", seconds, base.seconds),
    repetitions: count("--repetitions", repetitions, base.repetitions),
    seed: count("--seed", seed, 1),
    ...placesOf(values),
    profileDir: profile,
  };
}
