import { isOfMember, type Judged, judge, linkClause, mostTelling, reasonClause } from "./reasons.ts";
import type { Explanation, Trace } from "./shapes.ts";
import { count, list, Moments, type Reader } from "./words.ts";

/** Why a purchase has neither a stamp nor a cashback, in one sentence; `open`: it may still get one. */
interface NothingEarned {
  readonly text: string;
  readonly fate: "open" | "nothing";
}

/** @param explained the platform's explanation; undefined if it was not asked or did not answer */
export function nothingEarned(
  trace: Trace,
  explained: Explanation | undefined,
  reader: Reader,
): NothingEarned {
  const moments = new Moments(reader);
  const { transaction, waiting, links } = trace;
  const judged = judge(trace, explained).filter(isOfMember);
  const what = missing([...links, ...judged]);
  const nothing = (why: string): NothingEarned => ({ text: `${what}: ${why}`, fate: "nothing" });
  if (transaction.state === "reverted") {
    const { reverted_at } = transaction;
    return nothing(
      `the purchase was reverted${reverted_at === undefined ? "" : ` ${moments.at(reverted_at)}`}`,
    );
  }
  if (judged.length === 0 && !links.some(({ counts }) => counts))
    return nothing(noLinkClause(trace, moments));
  if (waiting.some(({ code }) => code === "platform")) {
    return { text: `${what} yet: the purchase is on its way to the platform`, fate: "open" };
  }
  if (judged.length === 0) {
    return { text: `${what} yet: the platform has not matched the purchase`, fate: "open" };
  }
  return verdictSentence(what, judged, moments);
}

/** What the member could have earned. */
function missing(links: ReadonlyArray<Pick<Judged, "type">>): string {
  const hasClip = links.some(({ type }) => type === "clip");
  const hasCard = links.some(({ type }) => type === "enrolment");
  if (!hasClip) return "No stamp";
  return hasCard ? "No stamp and no cashback" : "No cashback";
}

function noLinkClause({ transaction, links }: Trace, moments: Moments): string {
  if (transaction.member_id === null) return "its member was deleted";
  const [first, ...others] = links;
  if (first === undefined) return "the member has no stamp card and no saved deal";
  if (others.length === 0) return linkClause(first, moments.at(first.made_at));
  const joined = links.filter(({ type }) => type === "enrolment").length;
  const parts = [
    joined === 0 ? undefined : `joined ${count(joined, "program")}`,
    joined === links.length ? undefined : `saved ${count(links.length - joined, "deal")}`,
  ];
  return `the member ${list(parts.filter((part) => part !== undefined))}, all of them after the purchase`;
}

function verdictSentence(what: string, verdicts: readonly Judged[], moments: Moments): NothingEarned {
  const waiting = verdicts.filter(({ verdict }) => verdict === "waiting");
  if (waiting.length > 0) return { text: `${what} yet: ${waitingClause(waiting, moments)}`, fate: "open" };
  if (verdicts.some(({ outcome_id }) => outcome_id !== undefined)) {
    return {
      text: `${what} yet: the platform counted the purchase, and its answer is on the way`,
      fate: "open",
    };
  }
  if (verdicts.some(({ verdict }) => verdict === "earned")) {
    const why = "today's rules would count the purchase, but the rules by which it was judged did not";
    return { text: `${what}: ${why}`, fate: "nothing" };
  }
  return { text: `${what}: ${notEarnedClause(verdicts)}`, fate: "nothing" };
}

function waitingClause(waiting: readonly Judged[], moments: Moments): string {
  const until = waiting
    .map(({ until }) => until)
    .filter((at) => at !== undefined)
    .sort()
    .at(-1);
  const missing = "the retailer's payment has not come";
  return until === undefined ? missing : `${missing}; it may until ${moments.day(until)}`;
}

function notEarnedClause(verdicts: readonly Judged[]): string {
  const clauses = [...new Set(verdicts.map((verdict) => reasonClause(verdict)))];
  const allElsewhere = verdicts.every(({ reason }) => reason === "other_merchant");
  if (allElsewhere && verdicts.length > 1) {
    return `none of the member's ${count(verdicts.length, "card or saved deal", "cards and saved deals")} counts purchases at this merchant`;
  }
  const first = mostTelling(verdicts);
  const clause = first === undefined ? "" : reasonClause(first);
  const more = clauses.length - 1;
  return more === 0 ? clause : `${clause} (and ${count(more, "other reason")}, below)`;
}
