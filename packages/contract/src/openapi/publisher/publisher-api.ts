import { DELIVERY_ERROR_CLASSES } from "#domain/webhooks";
import { LIMITS } from "../../limits.ts";
import { PUBLISHER_PREFIX, ROUTES, type RouteName } from "../../routes.ts";
import type { ApiDescription } from "../api-description.ts";
import { COMMON_FIELD_DESCRIPTIONS, type ResourceOf } from "../names.ts";
import { EXAMPLES } from "./examples.ts";
import { webhooksSection } from "./webhooks.ts";

const DESCRIPTION = `Takes in card transactions, follows each from authorization to clearing or reversal, and tells of
stamps and cashbacks through webhooks.

Every operation is a POST with a JSON object, \`{}\` where there is nothing to say. Unknown request fields are refused;
ignore answer fields that you do not know. A record of another organisation does not exist: 404.

Every answer carries \`x-trace-id\`; send a \`traceparent\` to choose it.`;

/** Resources (the part of a route before the slash), in the order of the reference page. */
const RESOURCES: { readonly [R in ResourceOf<RouteName>]: string } = {
  transaction: "Card transactions, taken in and read back.",
  "transaction.batch": "The results of requests that were answered 202.",
  "transaction.rejection": "Events that were rejected, in requests answered 200, 202 or with an error.",
  "member-base": "Sets of members.",
  member: "The people whose transactions count.",
  "loyalty-program": "Stamp cards. The central platform configures them.",
  deal: "Offers for single purchases. The central platform configures them.",
  "wallet.stamp-collection": "Members' enrolments in loyalty programs, with their stamps.",
  "qualifying-purchase": "Stamps, with the transactions that made them.",
  "wallet.redemption": "Full cards: the stamps that were taken, and what was given for them.",
  "wallet.clip": "Deals that members have saved.",
  "wallet.cashback": "What members have earned.",
  webhook: "Addresses that receive events.",
  "webhook.delivery": "Requests that were sent to webhooks, and their results.",
  event: "The same events that webhooks receive, for polling.",
  id: "Look-up of the record that an id names.",
  "api-token": "Access to this interface.",
};

const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...COMMON_FIELD_DESCRIPTIONS,
  after:
    "The `cursor` of the page before. Without it, or with null, the page begins with the oldest " +
    "stored event.",
  accepted: "Events that were taken.",
  access: "`write` may do all that `read` may.",
  answer: "The first 4 KiB of what the receiver answered.",
  attributes: "A present key overwrites, null removes, an absent key is left alone.",
  attempt_log: "Each attempt, the first one first.",
  attempted_at: "When it was sent.",
  auth_code: "Authorization code of the issuing bank. Not kept, and must not hold a card number.",
  attempts: "How often it was sent.",
  bin: "The first 6 to 8 digits of the card. Not kept.",
  count:
    "How many further events were rejected in this minute, without a row of their own. Only with the " +
    "code `not_kept`.",
  duration_ms: "How long the attempt took.",
  error_class: `Why the attempt failed: ${DELIVERY_ERROR_CLASSES.join(", ")}. Absent if it succeeded.`,
  event_id: "The same each time the event is sent: drop events that you have seen.",
  expires_at: "From then on the token is refused. Without it the token is good until it is revoked.",
  external_id:
    "Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best.",
  ignored: `The first ${LIMITS.ignoredEvents} events with ignored fields; all of them if the answer has \`outcomes\`. Absent if no field was ignored.`,
  ignored_total: "How many there are in all.",
  identifiers: "SHA-256 in lower-case hex, the one over six BIN digits first.",
  next_attempt_at: "When it is sent again at the earliest.",
  oldest_pending_at: "Since when the oldest waiting event waits. Absent if none waits.",
  outcomes:
    "The result of each event, a letter each, in the order of the request: `c` created, `u` updated, `n` " +
    "unchanged, " +
    "`r` rejected. Only with `prefer: return=representation`.",
  overlap_seconds: "For how many seconds the previous secret signs as well; a day without it.",
  pending_events: `Events that wait for the webhook or are on their way, counted up to ${LIMITS.pendingEventsCounted}.`,
  purchase_amount: "What the retailer says was paid, in minor units.",
  queued: "Events that will be sent again.",
  rejected_at: "When it was rejected; with the code `not_kept`, when the minute began.",
  redemption_id: "The redemption, by its id in `wallet.redemption/list`.",
  ref: "Your own name for the member, unique in its memberbase.",
  replayed_at: "When its events were sent again, in other deliveries.",
  rewards: "The cashbacks of the transaction.",
  split_from: "The delivery that was split; this one carries one of its events.",
  stamps: `The first ${LIMITS.stampsPerRedemption} of them, oldest first, as they are now.`,
  stamps_total: "How many there are in all.",
  statement_descriptor: "The merchant's text on the card statement. Must not hold a card number.",
  total: "The number of records on all pages.",
  transaction_ref: "The transaction's `external_id`.",
  undone_at: "When it was undone, because a purchase of it was reverted while its cashback was pending.",
  unredeemed_purchases: "Stamps that are not redeemed yet.",
  voided_at: "When its transaction was reverted.",
};

export const PUBLISHER_API: ApiDescription = {
  title: "Stampede publisher API",
  description: DESCRIPTION,
  prefix: PUBLISHER_PREFIX,
  origin: "http://127.0.0.1:8080",
  routes: ROUTES,
  tokens: "An API token: `stp_live_…`.",
  access: { read: "Needs a token with read access.", write: "Needs a token with write access." },
  forbidden: { required: "write", accesses: ["write"] },
  hasRateLimit: true,
  resources: RESOURCES,
  examples: EXAMPLES,
  fieldDescriptions: FIELD_DESCRIPTIONS,
  webhooks: webhooksSection,
};
