import { MEMBERS } from "../ingest/world.ts";
import { type OptionsOf, optionsOf } from "../kit/options.ts";

export const SCALING_OPTIONS = optionsOf({
  name: "scaling",
  whole: "costs of every hop, the prediction and its check, the plans; some five minutes",
  quick: "the same path with small numbers, under a minute; nothing is judged",
  flags: { doc: "measures nothing: writes the tables of docs/scaling.md from the newest record" },
  sizes: {
    seed: [1, 1],
    members: [MEMBERS, 2_000],
    /** Seconds of each measured load. */
    seconds: [8, 1],
    warmUpSeconds: [3, 0.2],
    /** Seconds of the look at idle processes. */
    idleSeconds: [5, 0.3],
    /** Share of the usual rates, and of the requests to prepare. */
    abundance: [1, 0.2],
  },
  choices: {},
  options: {
    seconds: { sets: "seconds", help: "of each measured load" },
    seed: { sets: "seed", help: "other events" },
  },
  derive: ({ kind, given }) => ({
    /** Few of the loads, and none to warm up. */
    fewer: kind === "quick",
    docOnly: given.has("doc"),
  }),
});
export type ScalingOptions = OptionsOf<typeof SCALING_OPTIONS>;
