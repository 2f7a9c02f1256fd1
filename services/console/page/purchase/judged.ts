import type { Explanation, Trace, Verdict } from "./shapes.ts";

/** What the platform says of one enrolment or clip, as it stands beside what the trace has. */
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
 * A clip is redeemed once, and the platform does not know with which purchase: of one that is not open any more, and that
 * this purchase did not redeem, another one did.
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

/** Whether it is about something that the member had, and not about a program or deal as such. */
export function isOfMember({ stamp_collection_id, clip_id }: Judged): boolean {
  return stamp_collection_id !== undefined || clip_id !== undefined;
}
