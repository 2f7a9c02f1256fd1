import { isOfMember, type Judged, judge, linkClause, reasonClause, subjectOf } from "./reasons.ts";
import type { Standing } from "./sentence.ts";
import type { Explanation, Link, Trace } from "./shapes.ts";
import { Moments, moment, type Reader, sentence } from "./words.ts";

/** Why one enrolment or clip gave something for a purchase, or did not. */
export interface SaidVerdict {
  /** Of the enrolment, the clip, the program or the deal: it is in the list once. */
  readonly id: string;
  readonly name: string;
  readonly what: "card" | "saved deal";
  readonly label: "Earned" | "Waiting" | "Taken back" | "Not earned";
  readonly text: string;
  readonly standing: Standing;
}

/**
 * One entry for each of the member's enrolments and open clips, and for those that the platform judged besides. What the
 * purchase has earned by the trace is earned, whatever today's rules say of it.
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

const said = (of: Target, label: SaidVerdict["label"], text: string, standing: Standing): SaidVerdict => {
  const { name, isDeal } = subjectOf(of);
  return { id: idOf(of), name, what: isDeal ? "saved deal" : "card", label, text: sentence(text), standing };
};

function sayVerdict(trace: Trace, verdict: Judged, reader: Reader): SaidVerdict {
  const earned = sayEarned(trace, verdict, reader);
  if (earned !== undefined) return earned;
  if (verdict.outcome_id !== undefined) {
    return said(verdict, "Waiting", "The platform counted it, and its answer is on the way", "open");
  }
  if (verdict.verdict !== "not_earned" && !isOfMember(verdict)) {
    const missed = verdict.type === "clip" ? "saved it" : "joined it";
    return said(verdict, "Not earned", `It would count, but the member had not ${missed} in time`, "none");
  }
  switch (verdict.verdict) {
    case "earned":
      return said(
        verdict,
        "Not earned",
        "By today's rules it would count; by the rules of its time it did not",
        "none",
      );
    case "waiting": {
      const until =
        verdict.until === undefined ? "" : `; it may until ${new Moments(reader).day(verdict.until)}`;
      return said(verdict, "Waiting", `The retailer's payment has not come${until}`, "open");
    }
    case "not_earned":
      return said(verdict, "Not earned", reasonClause(verdict, "it"), "none");
  }
}

function sayLink(trace: Trace, link: Link, reader: Reader): SaidVerdict {
  const earned = sayEarned(trace, link, reader);
  if (earned !== undefined) return earned;
  if (!link.counts)
    return said(link, "Not earned", linkClause(link, moment(link.made_at, reader), "it"), "none");
  return said(link, "Waiting", "The platform has not said anything of it", "open");
}

/** What the trace has of it; undefined: nothing. */
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
  if (!isLost) return said(of, "Earned", text, "good");
  return said(of, "Taken back", `${text}, which was taken back, because the purchase was reverted`, "none");
}
