import { type OptionsOf, optionsOf } from "../kit/options.ts";

export const RETENTION_OPTIONS = optionsOf({
  name: "retention",
  whole: "ten million transactions, most of them due; some twenty minutes, and 6 GB of disk",
  quick: "the same path with few of them, some seconds",
  sizes: {
    seed: [1, 1],
    rows: [10_000_000, 30_000],
    members: [10_000, 50],
    /** Seconds of each window of ingestion. */
    seconds: [15, 1],
    /** Pairs of windows: ingestion alone, and with retention. An odd number has a middle. */
    windows: [7, 1],
    lanes: [2, 2],
    size: [500, 100],
  },
  choices: {},
  options: {
    rows: { sets: "rows", help: "transactions that are stored before" },
    seconds: { sets: "seconds", help: "of each window of ingestion" },
    windows: { sets: "windows", help: "pairs of windows, each with one beside retention and one without" },
    seed: { sets: "seed", help: "other members" },
  },
});
export type RetentionOptions = OptionsOf<typeof RETENTION_OPTIONS>;
