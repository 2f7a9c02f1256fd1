import type { Rejection } from "./shapes.ts";

/** Why an event was rejected (contract, section 6), as a clause that continues "because …". */
export function rejectionClause({ reason, field, from, to }: Rejection): string {
  switch (reason) {
    case "not_found":
      return "there was no such member";
    case "member_not_restored":
      return "its member was lost when the database was restored, and has to be made again";
    case "identity_mismatch":
      return `it named another ${field === "card" ? "card" : "member"} than the purchase that is stored`;
    case "invalid_transition":
      return `a ${from ?? "settled"} purchase cannot be ${to ?? "changed"} any more`;
    case "past_retention":
      return "it was of a purchase from before the time that purchases are kept for";
    default:
      return `of ${reason.replaceAll("_", " ")}`;
  }
}
