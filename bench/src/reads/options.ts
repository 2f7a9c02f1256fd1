import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, known, modeOf, ONE, type Places, placesOf, SEVERAL } from "../arguments.ts";
import { MEMBERS } from "../world.ts";
import { READ_ROUTES, type ReadRoute } from "./read-plan.ts";

export const READ_CONTENDERS = ["stampede", "peer"] as const;
export type ReadContender = (typeof READ_CONTENDERS)[number];

export interface ReadsOptions extends Places {
  /** reads: all of it, comparable between commits. */
  readonly mode: "reads" | "reads-quick" | "reads-partial";
  readonly seed: number;
  readonly members: number;
  readonly transactions: number;
  readonly routes: readonly ReadRoute[];
  readonly contenders: readonly ReadContender[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly repetitions: number;
  /** Of each attempt at finding the best setting; 0: the first candidate is taken. */
  readonly probeSeconds: number;
  readonly profileDir: string | undefined;
}

export const READS_USAGE = `npm run bench -- reads [options]

  (none)                 both routes against the peer, some three minutes
  --quick                the same path with small numbers, some seconds

  --route NAME           only member/get or transaction/get; repeatable
  --subject NAME         only stampede or peer; repeatable
  --seconds N            of each measured run
  --repetitions N
  --seed N               other records, other keys
  --profile DIR          CPU profiles of edge and peer, written when they end
  --results DIR          where the line and the drawing go
  --dir DIR              where PostgreSQL and NATS keep their data
`;

const WHOLE = { seconds: 6, warmUpSeconds: 2, repetitions: 3, probeSeconds: 2, records: MEMBERS };
const QUICK = { seconds: 1, warmUpSeconds: 0.5, repetitions: 1, probeSeconds: 0, records: 2_000 };

/** @throws Error that says what is wrong with the arguments */
export function readReadsOptions(args: readonly string[]): ReadsOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      route: SEVERAL,
      subject: SEVERAL,
      seconds: ONE,
      repetitions: ONE,
      seed: ONE,
      profile: ONE,
    },
  });
  if (values.help) return "help";
  const { route, subject, seconds, repetitions, seed, profile } = values;
  const narrowed = [route, subject, seconds, repetitions, seed, profile];
  const { records, ...base } = values.quick ? QUICK : WHOLE;
  return {
    mode: modeOf("reads", values, narrowed),
    ...base,
    members: records,
    transactions: records,
    seconds: count("--seconds", seconds, base.seconds),
    repetitions: count("--repetitions", repetitions, base.repetitions),
    seed: count("--seed", seed, 1),
    routes: known("--route", route, READ_ROUTES) ?? READ_ROUTES,
    contenders: known("--subject", subject, READ_CONTENDERS) ?? READ_CONTENDERS,
    ...placesOf(values),
    profileDir: profile,
  };
}
