import { MEMBERS } from "../ingest/world.ts";
import { type OptionsOf, optionsOf } from "../kit/options.ts";
import { READ_ROUTES } from "./read-plan.ts";

const READ_CONTENDERS = ["stampede", "peer"] as const;
export type ReadContender = (typeof READ_CONTENDERS)[number];

export const READS_OPTIONS = optionsOf({
  name: "reads",
  whole: "both routes against the peer, some three minutes",
  quick: "the same path with small numbers, some seconds",
  sizes: {
    seed: [1, 1],
    seconds: [6, 1],
    warmUpSeconds: [2, 0.5],
    repetitions: [3, 1],
    /** Seconds of each attempt at finding the best setting; 0: take the first candidate. */
    probeSeconds: [2, 0],
    members: [MEMBERS, 2_000],
    transactions: [MEMBERS, 2_000],
  },
  choices: { routes: READ_ROUTES, contenders: READ_CONTENDERS },
  options: {
    route: { only: "routes", help: "repeatable" },
    subject: { only: "contenders", help: "repeatable" },
    seconds: { sets: "seconds", help: "of each measured run" },
    repetitions: { sets: "repetitions", help: "of what is measured in turn" },
    seed: { sets: "seed", help: "other records, other keys" },
  },
  profile: "CPU profiles of edge and peer, written when they end",
});
export type ReadsOptions = OptionsOf<typeof READS_OPTIONS>;
