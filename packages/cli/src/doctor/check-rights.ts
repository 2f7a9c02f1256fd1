import type { RightsReport } from "#postgres";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Rights that are named; the rest is counted. */
const SHOWN = 3;

/** Whether the services' roles may do what their statements need, and nothing besides. */
export function judgeRights(check: string, { areThere, missing, besides }: RightsReport): Finding {
  if (!areThere) return ok(check, "one user has everything: there are no roles of services here");
  const doThis = "run `stampede migrate` as stampede_owner";
  if (missing.length > 0) return fail(check, `missing ${someOf(missing)}: ${doThis}, which gives them`);
  if (besides.length > 0) return warn(check, `besides ${someOf(besides)}: ${doThis}, which takes them away`);
  return ok(check, "each role has those of this release, and no others");
}

function someOf(rights: readonly string[]): string {
  const more = rights.length - SHOWN;
  return `${rights.slice(0, SHOWN).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
