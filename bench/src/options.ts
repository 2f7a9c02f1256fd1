import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, known, ONE, type Places, placesOf, SEVERAL } from "./arguments.ts";
import { MEMBERS } from "./world.ts";

export type Part = "throughput" | "latency" | "async" | "overload";
export const PARTS: readonly Part[] = ["throughput", "latency", "async", "overload"];
export type Contender = "stampede" | "peer" | "ceiling";
const CONTENDERS: readonly Contender[] = ["stampede", "peer", "ceiling"];

export interface Options extends Places {
  /** canonical: all of it, comparable between commits. partial: somebody works on something. */
  readonly mode: "canonical" | "quick" | "partial" | "growth";
  readonly seed: number;
  readonly members: number;
  readonly contenders: readonly Contender[];
  readonly sizes: readonly number[];
  readonly parts: readonly Part[];
  /** Of each measured run. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly repetitions: number;
  /** Of each attempt at finding the best number of connections; 0: the first candidate is taken. */
  readonly probeSeconds: number;
  /** Share of the usual amount of requests to prepare where the rate is not known yet: making them takes time. */
  readonly abundance: number;
  /** growth: rows that one of the two databases already has. */
  readonly rows: number;
  readonly profileDir: string | undefined;
}

export const USAGE = `npm run bench -- [options]
npm run bench -- reads|members|rewards|webhooks|scaling [options]   something else than ingestion; each has its own --help

  (none)                 the canonical benchmark, some twelve minutes
  --quick                the same path with small numbers, under a minute
  --rows N               throughput with N rows in the table against an empty one

  --subject NAME         only stampede, peer or ceiling; repeatable
  --size N               only requests of N events; repeatable
  --only PART            only throughput, latency, async or overload; repeatable
  --seconds N            of each measured run
  --repetitions N
  --seed N               another workload
  --profile DIR          CPU profiles of the services, written when they end
  --results DIR          where the line and the drawing go
  --dir DIR              where PostgreSQL and NATS keep their data (a disk, not tmpfs)
`;

const CANONICAL = {
  seconds: 8,
  warmUpSeconds: 2,
  repetitions: 3,
  probeSeconds: 2,
  members: MEMBERS,
  abundance: 1,
};
const QUICK = {
  seconds: 1,
  warmUpSeconds: 0.25,
  repetitions: 1,
  probeSeconds: 0,
  members: 2_000,
  abundance: 0.12,
};

/** @throws Error that says what is wrong with the arguments */
export function readOptions(args: readonly string[]): Options | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      rows: ONE,
      subject: SEVERAL,
      size: SEVERAL,
      only: SEVERAL,
      seconds: ONE,
      repetitions: ONE,
      seed: ONE,
      profile: ONE,
    },
  });
  if (values.help) return "help";
  const contenders = known("--subject", values.subject, CONTENDERS);
  const parts = known("--only", values.only, PARTS);
  const narrowed = [
    values.subject,
    values.size,
    values.only,
    values.seconds,
    values.repetitions,
    values.seed,
  ];
  const isPartial = [...narrowed, values.profile].some((value) => value !== undefined);
  const base = values.quick ? QUICK : CANONICAL;
  return {
    mode: values.rows !== undefined ? "growth" : values.quick ? "quick" : isPartial ? "partial" : "canonical",
    ...base,
    seconds: count("--seconds", values.seconds, base.seconds),
    repetitions: count("--repetitions", values.repetitions, base.repetitions),
    seed: count("--seed", values.seed, 1),
    rows: count("--rows", values.rows, 0),
    contenders: contenders ?? CONTENDERS,
    sizes: values.size?.map((size) => count("--size", size, 1)) ?? [500, 50, 1],
    parts: parts ?? (isPartial && !values.quick ? ["throughput"] : PARTS),
    profileDir: values.profile,
    ...placesOf(values),
  };
}
