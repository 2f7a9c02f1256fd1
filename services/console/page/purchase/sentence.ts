import { type EarnedClause, earnedClauses } from "./earned.ts";
import { nothingEarned } from "./nothing-earned.ts";
import { rejectionClause } from "./rejection-words.ts";
import type { Explanation, Rejection, Trace } from "./shapes.ts";
import { sayTold, type Told } from "./told.ts";
import { count, Moments, type Reader, sentence } from "./words.ts";

/**
 * How it stands with a purchase, for the colour of its sentence. `good`: what it earned is given and told. `open`: something
 * is still to come by itself. `bad`: somebody should look at it. `none`: nothing was earned, and nothing will be.
 */
export type Standing = "good" | "open" | "bad" | "none";

export interface PurchaseSentence {
  readonly text: string;
  readonly standing: Standing;
}

/**
 * What became of a purchase, in one sentence.
 * @param explained what the platform says of it; undefined where it was not asked or did not answer
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

/** Of an `external_id` that nothing is stored under, but that events with it were rejected. The newest is first. */
export function rejectedSentence(rejections: readonly Rejection[], reader: Reader): PurchaseSentence {
  const [last, ...others] = rejections;
  if (last === undefined) return { text: "No purchase has this external_id.", standing: "none" };
  const moments = new Moments(reader);
  const when = moments.at(last.rejected_at);
  const before =
    others.length === 0
      ? ""
      : `; so ${others.length === 1 ? "was" : "were"} ${count(others.length, "event")} before`;
  const text = `No purchase: its event was rejected ${when}, because ${rejectionClause(last)}${before}`;
  return { text: sentence(text), standing: "bad" };
}

/** What a stored purchase's rejected events add; undefined without any. The newest is first. */
export function rejectionNote(rejections: readonly Rejection[], reader: Reader): string | undefined {
  const [last, ...others] = rejections;
  if (last === undefined) return undefined;
  const moments = new Moments(reader);
  const more = others.length === 0 ? "" : `, and ${count(others.length, "other")} before`;
  return sentence(
    `An event for it was rejected ${moments.at(last.rejected_at)}${more}: ${rejectionClause(last)}`,
  );
}
