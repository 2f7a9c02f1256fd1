import type { Arena } from "../ingest/arena.ts";
import { MEMBERS } from "../ingest/world.ts";
import { type OptionsOf, optionsOf } from "../kit/options.ts";

const HALVES_MIN = 40_000;
const QUICK_RETAILERS = 4;

export const REWARDS_OPTIONS = optionsOf({
  name: "rewards",
  whole: "the whole of it, some six minutes; a third of that is to store ten million halves",
  quick: "the same path with small numbers, under a minute",
  sizes: {
    seed: [1, 1],
    /** engine: outcomes of the platform. */
    outcomes: [200_000, 3_000],
    /** hot: outcomes of each run. */
    hotOutcomes: [60_000, 1_500],
    /**
     * platform: halves that are stored before the measurement, one half of them records, the other payments.
     */
    halves: [10_000_000, HALVES_MIN],
    /** A prime: so a property that depends on a half's number is independent of its retailer. */
    retailers: [499, QUICK_RETAILERS],
    /** platform: incoming records, one in ten of them for a retailer. */
    records: [600_000, 4_000],
    /** platform: requests with payments, and payments in each. */
    requests: [24, 4],
    perRequest: [5000, 500],
    /** pipeline: members, all of them enrolled. */
    members: [MEMBERS, 2_000],
    /** pipeline: of each measured run. */
    seconds: [8, 1],
    warmUpSeconds: [2, 0.25],
    /** hot and pipeline. */
    repetitions: [3, 1],
    /** pipeline: share of the usual number of requests to prepare. */
    abundance: [1, 0.12],
  },
  choices: { parts: ["engine", "hot", "platform", "pipeline"] },
  options: {
    only: { only: "parts", what: "PART", help: "repeatable" },
    outcomes: { sets: "outcomes", help: "outcomes for the engine" },
    halves: { sets: "halves", help: `stored halves; at least ${HALVES_MIN}` },
    records: { sets: "records", help: "records that come in" },
    seconds: { sets: "seconds", help: "of each measured run of the pipeline" },
    repetitions: { sets: "repetitions", help: "of what is measured in turn (hot, pipeline)" },
    seed: { sets: "seed", help: "other data" },
  },
  profile: "CPU profiles of the services, written when they end",
  derive({ halves, requests, perRequest, ...given }) {
    if (halves < HALVES_MIN) throw new Error(`--halves is at least ${HALVES_MIN}, not ${halves}`);
    const retailers = Math.min(given.retailers, Math.ceil(halves / HALVES_MIN) * QUICK_RETAILERS);
    return {
      retailers,
      requests: Math.min(requests, retailers),
      // A request pays for every second record of its retailer at most.
      perRequest: Math.min(perRequest, Math.floor(halves / 4 / retailers)),
    };
  },
});
export type RewardsOptions = OptionsOf<typeof REWARDS_OPTIONS>;
/** From the benchmark of ingestion, whose load the pipeline gets. */
export type RewardsArena = Arena<RewardsOptions>;
