import { type OptionsOf, optionsOf } from "../kit/options.ts";
import { findWrk, HOW_TO_GET_WRK } from "../kit/wrk.ts";
import { MEMBERS } from "./world.ts";

const PARTS = ["throughput", "latency", "async", "overload"] as const;
const CONTENDERS = ["stampede", "peer", "outbox", "ceiling"] as const;
export type Contender = (typeof CONTENDERS)[number];
const GENERATORS = ["autocannon", "wrk", "client"] as const;
export type LoadGenerator = (typeof GENERATORS)[number];
/** Events in a request of the streaming client. */
export const CLIENT_SIZE = 500;
/** Events in a request of wrk: with more, any generator is a small part of the work. */
export const WRK_SIZE = 1;

export const INGEST_OPTIONS = optionsOf({
  name: "canonical",
  command: "",
  also: "npm run bench -- reads|members|rewards|webhooks|scaling [options]   something else than ingestion; each has its own --help",
  whole: "the canonical benchmark, some fourteen minutes",
  quick: "the same path with small numbers, under a minute",
  sizes: {
    seed: [1, 1],
    /** Seconds of each measured run. */
    seconds: [8, 1],
    warmUpSeconds: [2, 0.25],
    repetitions: [3, 1],
    /** Seconds of each attempt at finding the best number of connections; 0: take the first candidate. */
    probeSeconds: [2, 0],
    /** Connections of the load, instead of the best number; 0: the best. */
    connections: [0, 0],
    members: [MEMBERS, 2_000],
    /**
     * Share of the usual number of requests to prepare if the rate is not known yet: making them takes time.
     */
    abundance: [1, 0.12],
    /** The rate of the overload, in multiples of the maximum. */
    overload: [10, 2],
    /** growth: the rows that one of the two databases already has. */
    rows: [0, 0],
  },
  choices: { contenders: CONTENDERS, sizes: [500, 50, WRK_SIZE], parts: PARTS, generators: GENERATORS },
  options: {
    rows: { sets: "rows", help: "throughput with N rows in the table against an empty one" },
    subject: { only: "contenders", help: "repeatable" },
    connections: { sets: "connections", help: "instead of the number at which each is fastest" },
    size: { only: "sizes", what: "N", help: "only requests of N events; repeatable" },
    generator: {
      only: "generators",
      help: "repeatable; wrk sends requests of 1, the streaming client of 500",
    },
    only: { only: "parts", what: "PART", help: "repeatable" },
    seconds: { sets: "seconds", help: "of each measured run" },
    repetitions: { sets: "repetitions", help: "of what is measured in turn" },
    seed: { sets: "seed", help: "another workload" },
  },
  profile: "CPU profiles of the services, written when they end",
  derive({ mode, kind, given, contenders, parts, sizes, generators }) {
    const isWrkAlone = isOnly(generators, "wrk");
    const isClientAlone = isOnly(generators, "client");
    if (isWrkAlone && findWrk() === undefined)
      throw new Error(`--generator wrk: wrk is not installed (${HOW_TO_GET_WRK})`);
    const isForWrk = sizes.includes(WRK_SIZE) && parts.includes("throughput") && !given.has("rows");
    if (isWrkAlone && !isForWrk)
      throw new Error(`--generator wrk measures the throughput of requests of ${WRK_SIZE}, and nothing else`);
    const isFirstOnly = isWrkAlone || isClientAlone || (kind === "partial" && !given.has("only"));
    // The rates of a few callers, which the documents quote: a record of its own, though it is a part of the
    // benchmark.
    const isCallers =
      kind === "partial" &&
      given.has("connections") &&
      !given.has("profile") &&
      isOnly(contenders, "stampede") &&
      isOnly(sizes, 1);
    return {
      mode: given.has("rows") ? "growth" : isCallers ? "callers" : kind === "whole" ? mode : kind,
      parts: isFirstOnly ? parts.slice(0, 1) : parts,
      sizes: isWrkAlone ? [WRK_SIZE] : isClientAlone ? [CLIENT_SIZE] : sizes,
    };
  },
});

function isOnly<One>(list: readonly One[], one: One): boolean {
  return list.length === 1 && list[0] === one;
}

export type IngestOptions = OptionsOf<typeof INGEST_OPTIONS>;
