import { parseArgs } from "node:util";
import { COMMON_OPTIONS, count, modeOf, ONE, type Places, placesOf } from "../arguments.ts";

export interface MembersOptions extends Places {
  readonly mode: "members" | "members-quick" | "members-partial";
  readonly seed: number;
  readonly members: number;
  readonly perRequest: number;
  /** How often the first and the last page are asked for, in turn. */
  readonly pages: number;
}

export const MEMBERS_USAGE = `npm run bench -- members [options]

  (none)                 a million members: upserts, pages, deletions; about a minute
  --quick                the same path with few of them, some seconds

  --members N            a whole number of pages of 1000, at least 2000
  --seed N               other attributes
  --results DIR          where the line goes
  --dir DIR              where PostgreSQL and NATS keep their data
`;

const PAGE = 1000;
const WHOLE = { members: 1_000_000, perRequest: 5000, pages: 60 };
const QUICK = { members: 4000, perRequest: 1000, pages: 5 };

/** @throws Error that says what is wrong with the arguments */
export function readMembersOptions(args: readonly string[]): MembersOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      members: ONE,
      seed: ONE,
    },
  });
  if (values.help) return "help";
  const base = values.quick ? QUICK : WHOLE;
  const members = count("--members", values.members, base.members);
  if (members % PAGE !== 0 || members < 2 * PAGE) {
    throw new Error(`--members is a whole number of pages of ${PAGE}, at least two, not ${members}`);
  }
  const narrowed = [values.members, values.seed];
  return {
    mode: modeOf("members", values, narrowed),
    ...base,
    members,
    seed: count("--seed", values.seed, 1),
    ...placesOf(values),
  };
}
