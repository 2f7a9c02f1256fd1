import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, modeOf, ONE, type Places, placesOf } from "../arguments.ts";
import { MEMBERS } from "../world.ts";

export interface ScalingOptions extends Places {
  readonly mode: "scaling" | "scaling-quick" | "scaling-partial";
  readonly seed: number;
  readonly members: number;
  /** Of each measured load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Of the look at the processes with nothing to do. */
  readonly idleSeconds: number;
  /** Share of the usual rates, and of the requests to prepare. */
  readonly abundance: number;
  /** Few of the loads, none to warm up, and the smallest plan. */
  readonly fewer: boolean;
  /** Nothing is measured: the tables of docs/scaling.md are made from the newest record. */
  readonly docOnly: boolean;
}

export const SCALING_USAGE = `npm run bench -- scaling [options]

  (none)                 costs of every hop, the prediction and its check, the plans; some five minutes
  --quick                the same path with small numbers, under a minute; nothing is judged
  --doc                  measures nothing: writes the tables of docs/scaling.md from the newest record

  --seconds N            of each measured load
  --seed N               other events
  --results DIR          where the line goes
  --dir DIR              where PostgreSQL and NATS keep their data (a disk, not tmpfs)
`;

const WHOLE = { members: MEMBERS, seconds: 8, warmUpSeconds: 3, idleSeconds: 5, abundance: 1, fewer: false };
const QUICK: typeof WHOLE = {
  members: 2_000,
  seconds: 1,
  warmUpSeconds: 0.2,
  idleSeconds: 0.3,
  abundance: 0.2,
  fewer: true,
};

/** @throws Error that says what is wrong with the arguments */
export function readScalingOptions(args: readonly string[]): ScalingOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, doc: { type: "boolean" }, seconds: ONE, seed: ONE },
  });
  if (values.help) return "help";
  const base = values.quick ? QUICK : WHOLE;
  return {
    mode: modeOf("scaling", values, [values.seconds, values.seed]),
    ...base,
    seconds: count("--seconds", values.seconds, base.seconds),
    seed: count("--seed", values.seed, 1),
    docOnly: values.doc === true,
    ...placesOf(values),
  };
}
