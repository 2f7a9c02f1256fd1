import { count, inGroups } from "../purchase/words.ts";
import type { DryRun } from "./program-types.ts";

/** Why a purchase did not count, by the reasons of the platform. */
const REASONS: Readonly<Record<string, string>> = {
  reverted: "was refunded",
  other_merchant: "was at another merchant",
  other_descriptor: "has another statement descriptor",
  unconfirmed: "has no payment of the retailer yet",
  amount_unknown: "has no amount that the platform knows",
  amount_too_low: "was of too low an amount",
  other_currency: "was in another currency",
  paid_too_early: "was too early",
  paid_too_late: "was too late",
  not_started: "was before the deal starts",
  ended: "was after the deal ends",
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

/** The result of a dry run in a sentence. */
export function dryRunSentence(run: DryRun, kind: "program" | "deal"): string {
  const { purchases, earned, linked, complete } = run;
  if (purchases === 0)
    return "No purchase of the last day was at a retailer of the platform: there is nothing to try it on.";
  const of = complete
    ? `Of ${count(purchases, "purchase")} of the last day`
    : `Of the newest ${count(purchases, "purchase")}`;
  const would = earned === 0 ? "none would have counted" : `${inGroups(earned)} would have counted`;
  if (linked === undefined || earned === 0) return `${of}, ${would}.`;
  const who = kind === "program" ? "enrolled in it" : "who saved it";
  return `${of}, ${would}, ${inGroups(linked)} of them by members ${who}.`;
}
