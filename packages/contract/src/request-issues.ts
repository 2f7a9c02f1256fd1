import type { Issue } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import { describeViolation, type SchemaViolation } from "./schema-issue.ts";

interface Validate {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

/** What is wrong with a request, and with how many of its entries. */
export interface RequestIssues {
  /** At least one; at most `LIMITS.issuesPerAnswer`. */
  readonly issues: readonly [Issue, ...Issue[]];
  readonly total: number;
}

/**
 * The issues of a body that `validate` has just refused: the first violation; and if that lies in an entry of
 * the list `entries`, also the first violation of each entry behind it, so that a file can be cleaned in one
 * go (contract, section 6).
 *
 * A validator stops at its first violation, which bounds what a hostile body costs. So each further entry is
 * shown to it alone, in a body that is otherwise the same: together they cost as much as one valid body.
 */
export function findIssues(validate: Validate, body: unknown, entries: string | undefined): RequestIssues {
  const first = violationOf(validate);
  const failed = entries === undefined ? undefined : indexIn(first.path, entries);
  if (entries === undefined || failed === undefined) return { issues: [first], total: 1 };
  const envelope = body as Readonly<Record<string, unknown>>;
  const list = envelope[entries] as readonly unknown[];
  const issues: [Issue, ...Issue[]] = [first];
  let total = 1;
  let beside: Issue | undefined;
  for (let index = failed + 1; index < list.length; index++) {
    if (validate({ ...envelope, [entries]: [list[index]] })) continue;
    const issue = violationOf(validate);
    if (indexIn(issue.path, entries) === undefined) {
      // The entry is valid, and something beside the list is not: that is one issue, not one for each entry.
      beside = issue;
      continue;
    }
    total += 1;
    if (issues.length < LIMITS.issuesPerAnswer) issues.push(moved(issue, entries, index));
  }
  if (beside === undefined) return { issues, total };
  if (issues.length < LIMITS.issuesPerAnswer) issues.push(beside);
  return { issues, total: total + 1 };
}

/** Of several violations (with `oneOf`), the last one stands for the whole. */
function violationOf({ errors }: Validate): Issue {
  return describeViolation(errors?.at(-1) as SchemaViolation);
}

/** 3 for `/events/3/bin`; undefined for a path that leads into no entry. */
function indexIn(path: string, entries: string): number | undefined {
  const [start, list, index] = path.split("/", 3);
  return start === "" && list === entries && index !== undefined ? Number(index) : undefined;
}

/** Moves an issue of entry 0 to the entry at `index`. */
function moved(issue: Issue, entries: string, index: number): Issue {
  return { ...issue, path: `/${entries}/${index}${issue.path.slice(`/${entries}/0`.length)}` };
}
