import { type OptionsOf, optionsOf } from "../kit/options.ts";

export const SCALE_OPTIONS = optionsOf({
  name: "scale",
  whole: "four million transactions of two million members; some twenty minutes, and 8 GB of disk",
  quick: "the same path with few of them, some seconds",
  sizes: {
    seed: [1, 1],
    rows: [4_000_000, 20_000],
    members: [2_000_000, 3000],
    /** One transaction in this many has a stamp, and an event for it. */
    stampEvery: [4, 4],
    /** Reads of each kind, each with another key. */
    reads: [300, 20],
    /** Events written after each checkpoint, to measure their share of the write-ahead log. */
    written: [200_000, 2000],
    /** Members of the deleted memberbase. */
    leaving: [50_000, 1000],
  },
  choices: {},
  options: {
    rows: { sets: "rows", help: "transactions that are stored before" },
    members: { sets: "members", help: "whose they are, each as often as any other" },
    reads: { sets: "reads", help: "of each kind" },
    written: { sets: "written", help: "events of each way of writing" },
    leaving: { sets: "leaving", help: "members of the memberbase that is deleted" },
    seed: { sets: "seed", help: "other members" },
  },
});
export type ScaleOptions = OptionsOf<typeof SCALE_OPTIONS>;
