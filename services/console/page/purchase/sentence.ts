import { type EarnedClause, earnedClauses } from "./earned.ts";
import { nothingEarned } from "./nothing-earned.ts";
import { rejectionClause } from "./rejection-words.ts";
import type { Explanation, Rejection, Trace } from "./shapes.ts";
import { sayTold, type Told } from "./told.ts";
import { count, Moments, moment, type Reader, sentence } from "./words.ts";

/**
 * For the colour of a purchase's sentence. `good`: all that it earned is given and delivered. `open`: something is still to
 * come. `bad`: a user has to look at it. `none`: it has earned nothing, and will not.
 */
export type Standing = "good" | "open" | "bad" | "none";

export interface PurchaseSentence {
  readonly text: string;
  readonly standing: Standing;
}

/**
 * The story of a purchase in one sentence.
 * @param explained the platform's explanation; undefined if it was not asked or did not answer
 */
export function purchaseSentence(
  trace: Trace,
  explained: Explanation | undefined,
  reader: Reader,
): PurchaseSentence {
  const moments = new Moments(reader);
  const earned = earnedClauses(trace, moments);
  if (earned.length === 0) {
    const { text, fate } = nothingEarned(trace, explained, reader);
    return { text: sentence(text), standing: fate === "open" ? "open" : "none" };
  }
  const told = sayTold(trace, new Set(earned.flatMap(({ events }) => events)), moments);
  const text = [...earned.map(({ text }) => text), ...told.clauses].join("; ");
  return { text: sentence(text), standing: standingOf(earned, told) };
}

function standingOf(earned: readonly EarnedClause[], told: Told): Standing {
  if (told.standing === "bad") return "bad";
  if (earned.every(({ fate }) => fate === "lost")) return "none";
  return told.standing === "open" || earned.some(({ fate }) => fate === "open") ? "open" : "good";
}

/** For an `external_id` without a stored purchase, of which events were rejected. The newest is first. */
export function rejectedSentence(rejections: readonly Rejection[], reader: Reader): PurchaseSentence {
  const [last, ...others] = rejections;
  if (last === undefined) return { text: "No purchase has this external_id.", standing: "none" };
  const when = moment(last.rejected_at, reader);
  const before =
    others.length === 0
      ? ""
      : `; so ${others.length === 1 ? "was" : "were"} ${count(others.length, "event")} before`;
  const text = `No purchase: its event was rejected ${when}, because ${rejectionClause(last)}${before}`;
  return { text: sentence(text), standing: "bad" };
}

/** About the rejected events of a stored purchase; undefined if there are none. The newest is first. */
export function rejectionNote(rejections: readonly Rejection[], reader: Reader): string | undefined {
  const [last, ...others] = rejections;
  if (last === undefined) return undefined;
  const more = others.length === 0 ? "" : `, and ${count(others.length, "other")} before`;
  return sentence(
    `An event for it was rejected ${moment(last.rejected_at, reader)}${more}: ${rejectionClause(last)}`,
  );
}
