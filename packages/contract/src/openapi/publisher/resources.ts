import type { RouteName } from "../../routes.ts";
import type { ResourceOf } from "../resource-of.ts";

/** Resources (the part of a route before the slash), in the order of the reference page. */
export const RESOURCES: { readonly [R in ResourceOf<RouteName>]: string } = {
  transaction: "Card transactions, taken in and read back.",
  "transaction.batch": "What became of events that were answered 202.",
  "member-base": "Sets of members.",
  member: "The people whose transactions count.",
  "loyalty-program": "Stamp cards. The central platform configures them.",
  deal: "Offers for single purchases. The central platform configures them.",
  "wallet.stamp-collection": "Members' enrolments in loyalty programs, with their stamps.",
  "wallet.clip": "Deals that members have saved.",
  "wallet.cashback": "What members have earned.",
  webhook: "Where events are sent to.",
  "webhook.delivery": "What was sent to webhooks, and the results.",
  "api-token": "Access to this interface.",
};
