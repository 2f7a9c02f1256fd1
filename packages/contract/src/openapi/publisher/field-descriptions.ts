import { DELIVERY_ERROR_CLASSES } from "#domain";
import { LIMITS } from "../../limits.ts";

/** What a field means wherever it stands: a name has one meaning in the whole interface. */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  accepted: "Events that were taken.",
  access: "`write` may do all that `read` may.",
  answer: "The first 4 KiB of what the receiver answered.",
  amount: "In minor units of the currency.",
  attributes: "A present key overwrites, null removes, an absent key is left alone.",
  auth_code: "Authorization code of the issuing bank. Not kept, and must not hold a card number.",
  attempts: "How often it was sent.",
  authed_at: "When the card was authorized.",
  bin: "The first 6 to 8 digits of the card. Not kept.",
  cleared_at: "When it settled.",
  cursor: "Opaque. From the page before; null for the first page, and after the last.",
  duration_ms: "How long the attempt took.",
  error_class: `Why the attempt failed: ${DELIVERY_ERROR_CLASSES.join(", ")}. Not there if it did not.`,
  event_id: "The same however often the event is sent: drop what you have seen.",
  expires_at: "From then on the token is refused. Without it the token is good until it is revoked.",
  external_id:
    "Your own id of the transaction, by which it is recognised. Best time-sortable, such as UUIDv7.",
  identifiers: "SHA-256 in lower-case hex, the one over six BIN digits first.",
  limit: `Records of a page; ${LIMITS.pageLimitDefault} without it.`,
  more: "Whether further pages exist.",
  next_attempt_at: "When it is sent again at the earliest.",
  overlap_seconds: "For how long the secret before this one signs as well; a day without it.",
  page_size: "Records of this page.",
  qualifying_threshold: "Stamps that make a full card.",
  queued: "Events that are on their way again.",
  ref: "Your own name of the member, unique in its memberbase.",
  reverted_at: "When it was refunded or cancelled.",
  rewards: "The cashbacks of the transaction.",
  skip: "Records to leave out before the page.",
  statement_descriptor: "The merchant's text on the card statement. Must not hold a card number.",
  total: "Records in all, whatever the page.",
  transaction_ref: "The transaction's `external_id`.",
  unredeemed_purchases: "Stamps that are not redeemed yet.",
};
