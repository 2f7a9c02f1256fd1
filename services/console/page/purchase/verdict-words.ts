import { isOfMember, type Judged, judge, linkClause, reasonClause, subjectOf } from "./reasons.ts";
import type { Explanation, Link, Trace } from "./shapes.ts";
import { Moments, moment, type Reader, sentence } from "./words.ts";

/** What one enrolment or clip gave for a purchase, or why nothing. */
export interface SaidVerdict {
  /** Of the enrolment, the clip, the program or the deal: unique in the list. */
  readonly id: string;
  readonly name: string;
  readonly what: "card" | "saved deal";
  readonly label: "Earned" | "Waiting" | "Taken back" | "Not earned";
  readonly text: string;
}

/**
 * One entry for each of the member's enrolments and open clips, and for others that the platform judged. If the trace says
 * that the purchase earned something, it did, even if today's rules say otherwise.
 */
export function sayVerdicts(trace: Trace, explained: Explanation | undefined, reader: Reader): SaidVerdict[] {
  const judged = judge(trace, explained);
  const ids = new Set(judged.map(idOf));
  const others = trace.links.filter((link) => !ids.has(idOf(link)));
  return [
    ...judged.map((verdict) => sayVerdict(trace, verdict, reader)),
    ...others.map((link) => sayLink(trace, link, reader)),
  ];
}

type Target = Pick<
  Judged,
  "type" | "name" | "stamp_collection_id" | "loyalty_program_id" | "clip_id" | "deal_id"
>;

const idOf = (of: Target): string =>
  of.stamp_collection_id ?? of.clip_id ?? of.loyalty_program_id ?? of.deal_id ?? "";

const said = (of: Target, label: SaidVerdict["label"], text: string): SaidVerdict => {
  const { name, isDeal } = subjectOf(of);
  return { id: idOf(of), name, what: isDeal ? "saved deal" : "card", label, text: sentence(text) };
};

function sayVerdict(trace: Trace, verdict: Judged, reader: Reader): SaidVerdict {
  const earned = sayEarned(trace, verdict, reader);
  if (earned !== undefined) return earned;
  if (verdict.outcome_id !== undefined) {
    return said(verdict, "Waiting", "The platform counted it, and its answer is on the way");
  }
  if (verdict.verdict !== "not_earned" && !isOfMember(verdict)) {
    const missed = verdict.type === "clip" ? "saved it" : "joined it";
    return said(verdict, "Not earned", `It would count, but the member had not ${missed} in time`);
  }
  switch (verdict.verdict) {
    case "earned":
      return said(
        verdict,
        "Not earned",
        "By today's rules it would count; by the rules of its time it did not",
      );
    case "waiting": {
      const until =
        verdict.until === undefined ? "" : `; it may until ${new Moments(reader).day(verdict.until)}`;
      return said(verdict, "Waiting", `The retailer's payment has not come${until}`);
    }
    case "not_earned":
      return said(verdict, "Not earned", reasonClause(verdict, "it"));
  }
}

function sayLink(trace: Trace, link: Link, reader: Reader): SaidVerdict {
  const earned = sayEarned(trace, link, reader);
  if (earned !== undefined) return earned;
  if (!link.counts) return said(link, "Not earned", linkClause(link, moment(link.made_at, reader), "it"));
  return said(link, "Waiting", "The platform has not said anything of it");
}

/** The entry by the trace; undefined if the trace has no stamp or cashback of it. */
function sayEarned(trace: Trace, of: Target, reader: Reader): SaidVerdict | undefined {
  const stamp = trace.steps
    .filter((step) => step.kind === "stamp")
    .find(({ stamp_collection_id: id }) => id === of.stamp_collection_id);
  const cashback = trace.steps
    .filter((step) => step.kind === "cashback")
    .find(({ source }) => source.type === "clip" && source.clip_id === of.clip_id);
  if (stamp === undefined && cashback === undefined) return undefined;
  const given = stamp === undefined ? "It gave a cashback" : "It got a stamp";
  const text = `${given} ${moment((stamp ?? cashback)?.at ?? "", reader)}`;
  const isLost = stamp?.state === "voided" || cashback?.state === "reverted";
  if (!isLost) return said(of, "Earned", text);
  return said(of, "Taken back", `${text}, which was taken back, because the purchase was reverted`);
}
