import type { Explanation, Link, Trace, Verdict } from "./shapes.ts";

/** The platform's verdict on one enrolment or clip, corrected by the trace. */
export interface Judged {
  readonly type: "enrolment" | "clip";
  /** Of a member's card or clip; undefined where a program or deal was judged as such. */
  readonly stamp_collection_id?: string;
  readonly clip_id?: string;
  readonly loyalty_program_id?: string;
  readonly deal_id?: string;
  readonly name?: string;
  readonly verdict: Verdict["verdict"];
  /** One of the platform's, or `clip_used`. */
  readonly reason?: string;
  readonly until?: string;
  readonly outcome_id?: string;
  readonly text: string;
}

/**
 * A clip is redeemed once, and the platform does not know with which purchase: a clip that is no longer open, and that this
 * purchase did not redeem, was redeemed with another one.
 */
export function judge(trace: Trace, explained: Explanation | undefined): Judged[] {
  return (explained?.verdicts ?? []).map((verdict) =>
    isUsedUp(trace, verdict)
      ? { ...withoutOutcome(verdict), verdict: "not_earned", reason: "clip_used" }
      : verdict,
  );
}

function isUsedUp({ steps, links }: Trace, verdict: Verdict): boolean {
  if (verdict.type !== "clip" || verdict.clip_id === undefined) return false;
  if (verdict.verdict === "not_earned" && verdict.outcome_id === undefined) return false;
  const isOpen = links.some((link) => link.type === "clip" && link.clip_id === verdict.clip_id);
  const redeemed = steps
    .filter((step) => step.kind === "cashback")
    .some(({ source }) => source.type === "clip" && source.clip_id === verdict.clip_id);
  return !isOpen && !redeemed;
}

function withoutOutcome({ outcome_id: _, ...verdict }: Verdict): Omit<Judged, "verdict" | "reason"> {
  return verdict;
}

/** Whether it is about a card or clip of the member, and not about a program or deal as such. */
export function isOfMember({ stamp_collection_id, clip_id }: Judged): boolean {
  return stamp_collection_id !== undefined || clip_id !== undefined;
}

/** A program or a deal in a reason. */
interface Subject {
  /** `Coffee`, or `the program`. */
  readonly name: string;
  readonly isDeal: boolean;
}

/**
 * Why a purchase does not count, by the reasons of `purchase/explain` and `judge`: each a clause that continues "No stamp: …".
 * A reason that is missing here was added later, and is told in the platform's words.
 */
const REASONS: Readonly<Record<string, (subject: Subject) => string>> = {
  reverted: () => "the purchase was reverted",
  unknown_merchant: () => "no retailer on the platform has its merchant id",
  no_descriptor_matches: () =>
    "several retailers share its merchant id, and its statement descriptor fits none of them",
  ambiguous: () =>
    "several retailers share its merchant id, and its statement descriptor fits more than one of them",
  removed: ({ isDeal }) => `the ${isDeal ? "deal" : "program"} was removed from the platform`,
  other_merchant: ({ name }) => `${name} does not count purchases at this merchant`,
  other_descriptor: ({ name }) =>
    `${name} counts purchases at this merchant under another statement descriptor only`,
  amount_unknown: ({ name }) =>
    `${name} asks for a least amount, and the platform knows none of this purchase`,
  amount_too_low: ({ name }) => `the amount is below the least that ${name} asks for`,
  other_currency: ({ name }) => `${name} counts purchases in another currency only`,
  paid_too_early: ({ name }) => `it was paid before ${name} began to count purchases`,
  paid_too_late: ({ name }) => `it was paid after ${name} stopped counting purchases`,
  not_started: ({ name }) => `${name} had not begun yet`,
  ended: ({ name }) => `${name} was over`,
  no_payment: () => "the retailer's payment did not come within 30 days",
  payment_not_kept: () =>
    "the platform does not keep the retailer's payment any more, so it cannot be judged again",
  already_earned: ({ name }) => `another card of ${name} got the stamp`,
  clip_used: ({ name }) => `${name} was redeemed with another purchase`,
};

/** The clause for a verdict of `not_earned`. @param name of the program or deal, if it was named already: `it` */
export function reasonClause(verdict: Judged, name?: string): string {
  const say = Object.hasOwn(REASONS, verdict.reason ?? "") ? REASONS[verdict.reason ?? ""] : undefined;
  return say === undefined
    ? asClause(verdict.text)
    : say({ ...subjectOf(verdict), ...(name !== undefined && { name }) });
}

/** The clause for a link that does not count for the purchase. @param when it was made, such as `at 14:02` */
export function linkClause(link: Link, when: string, name = subjectOf(link).name): string {
  if (link.reason !== "made_too_late") return asClause(link.text);
  return `the member ${link.type === "clip" ? "saved" : "joined"} ${name} ${when}, after the purchase`;
}

export function subjectOf(of: { readonly type: "enrolment" | "clip"; readonly name?: string }): Subject {
  const isDeal = of.type === "clip";
  return { name: of.name ?? `the ${isDeal ? "deal" : "program"}`, isDeal };
}

/** The platform's sentence, to continue one of ours. */
function asClause(text: string): string {
  return text.replace(/\.$/, "");
}

/** From the least telling: another merchant tells less than a rule of the program. */
const LEAST_TELLING: readonly string[] = [
  "other_merchant",
  "other_descriptor",
  "removed",
  "clip_used",
  "already_earned",
];

/** Of several verdicts of `not_earned`, the one with the most telling reason. */
export function mostTelling(verdicts: readonly Judged[]): Judged | undefined {
  const rank = ({ reason }: Judged) => {
    const place = LEAST_TELLING.indexOf(reason ?? "");
    return place === -1 ? LEAST_TELLING.length : place;
  };
  return verdicts.toSorted((a, b) => rank(b) - rank(a))[0];
}
