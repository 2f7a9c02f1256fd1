// Generated from the contract by `npm run generate`. Do not edit.
// biome-ignore-all lint: generated

/** A filter of a list: a condition on one key, or several of which one or all must hold. At most 5 deep. */
export type Filter<K extends string> =
  | { readonly key: K; readonly eq: string }
  | { readonly key: K; readonly in: readonly string[] }
  | { readonly key: K; readonly nin: readonly string[] }
  | { readonly or: readonly Filter<K>[] }
  | { readonly and: readonly Filter<K>[] };

/** A token, without its secret. */
export interface ApiToken {
  id: string;
  /** `write` may do all that `read` may. */
  access: "read" | "write";
  description: string;
  created_at: string;
  /** From then on the token is refused. Without it the token is good until it is revoked. */
  expires_at?: string;
  revoked_at?: string;
  last_used_at?: string;
}

/** A new token. `token` is the secret, and only this answer has it. */
export interface ApiTokenCreated {
  id: string;
  /** `write` may do all that `read` may. */
  access: "read" | "write";
  description: string;
  created_at: string;
  /** From then on the token is refused. Without it the token is good until it is revoked. */
  expires_at?: string;
  revoked_at?: string;
  last_used_at?: string;
  token: string;
}

/** The result of a batch. `accepted` is the number of events without a kept rejection, and is 0 until the batch is `processed`. `lost`: the stream that held the batch is gone, and events that were not applied never will be: send them again. */
export interface Batch {
  id: string;
  status: "pending" | "processed" | "lost";
  /** Events that were taken. */
  accepted: number;
  rejected: RejectedEvent[];
  /** The first 100 events with ignored fields; all of them if the answer has `outcomes`. Absent if no field was ignored. */
  ignored?: IgnoredEvent[];
  /** How many there are in all. */
  ignored_total?: number;
}

/** Money for a member, from a clip or a full stamp card. */
export interface Cashback {
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  id: string;
  state: "pending" | "cleared" | "reverted";
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: {
    type: "clip";
    clip_id: string | null;
    deal_id: string;
  } | {
    type: "loyalty-program-redemption";
    loyalty_program_id: string;
    stamp_collection_id: string | null;
    /** The redemption, by its id in `wallet.redemption/list`. */
    redemption_id: string | null;
  };
  created_at: string;
  /** When it settled. */
  cleared_at?: string;
  /** When it was refunded or cancelled. */
  reverted_at?: string;
}

/** A cashback is final: its transaction cleared. */
export interface CashbackCleared {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "cashback.cleared";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: CashbackSource;
}

/** A cashback was made. */
export interface CashbackCreated {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "cashback.created";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: CashbackSource;
}

/** A cashback is void: its transaction was reverted. */
export interface CashbackReverted {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "cashback.reverted";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: CashbackSource;
}

/** What the cashback is for. */
export type CashbackSource = {
  type: "clip";
  clip_id: string;
  deal_id: string;
} | {
  type: "loyalty-program-redemption";
  loyalty_program_id: string;
  stamp_collection_id: string;
  /** The redemption, by its id in `wallet.redemption/list`. */
  redemption_id: string;
};

/** A deal that a member has saved; open until `redeemed_at`. */
export interface Clip {
  id: string;
  deal_id: string;
  member_id: string;
  created_at: string;
  redeemed_at?: string;
}

/** An offer that a member can save as a clip. */
export interface Deal {
  id: string;
  name: string;
  reward_config: DealReward;
  display_content: DisplayContent;
  starts_at?: string;
  ends_at?: string;
  created_at: string;
  updated_at: string;
}

/** A share of the purchase, at most `max_amount`, or a fixed amount. */
export type DealReward = {
  type: "percent";
  percent: number;
  max_amount?: number;
} | {
  type: "fixed";
  /** In minor units of the currency. */
  amount: number;
  currency: string;
};

/** One attempt: when, how long, and the result. */
export interface DeliveryAttempt {
  number: number;
  /** When it was sent. */
  attempted_at: string;
  /** How long the attempt took. */
  duration_ms: number;
  status?: number;
  /** Why the attempt failed: dns_error, connection_refused, connection_reset, tls_error, timeout, blocked_address, redirect, http_4xx, http_5xx, response_too_large. Absent if it succeeded. */
  error_class?: string;
  /** The first 4 KiB of what the receiver answered. */
  answer?: string;
}

/** A delivery with its attempts. Of more than 200 the first and the last 100 are kept, each with the first KiB of its answer. */
export interface DeliveryDetail {
  id: string;
  webhook_id: string;
  event_ids: string[];
  state: "pending" | "delivered" | "failed" | "split";
  /** How often it was sent. */
  attempts: number;
  status?: number;
  /** Why the attempt failed: dns_error, connection_refused, connection_reset, tls_error, timeout, blocked_address, redirect, http_4xx, http_5xx, response_too_large. Absent if it succeeded. */
  error_class?: string;
  /** The first 4 KiB of what the receiver answered. */
  answer?: string;
  /** How long the attempt took. */
  duration_ms?: number;
  created_at: string;
  last_attempt_at?: string;
  /** When it is sent again at the earliest. */
  next_attempt_at?: string;
  delivered_at?: string;
  /** The delivery that was split; this one carries one of its events. */
  split_from?: string;
  /** When its events were sent again, in other deliveries. */
  replayed_at?: string;
  /** Each attempt, the first one first. */
  attempt_log: DeliveryAttempt[];
}

/** For rendering in a user interface. `image` and `logo` are URLs. */
export interface DisplayContent {
  title: string;
  image: string;
  logo?: string;
  summary: string;
  description: string;
  terms: string;
  reward?: {
    formatted: string;
  };
}

/** Events of one organisation, in order. */
export interface EventDelivery {
  events: WebhookEvent[];
}

/** Events of one organisation, in order, each as webhooks carry it. */
export interface EventPage {
  data: WebhookEvent[];
  page: {
    /** Records of this page. */
    page_size: number;
    /** Opaque. From the previous page; null for the first page, and after the last. */
    cursor: string;
    /** Whether further pages exist. */
    more: boolean;
  };
}

/** An event of a known transaction whose `fields` were ignored; `index` is its place in the request. */
export interface IgnoredEvent {
  index: number;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  fields: string[];
}

/** A rejected event. Up to 1,000 are kept for each minute; a row with the code `not_kept` and a `count` says how many more there were. */
export interface KeptRejection {
  /** When it was rejected; with the code `not_kept`, when the minute began. */
  rejected_at: string;
  code: "conflict" | "not_found" | "not_kept";
  reason: string;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id?: string;
  member_id?: string | null;
  batch_id?: string;
  index?: number;
  from?: string;
  to?: string;
  field?: string;
  /** How many further events were rejected in this minute, without a row of their own. Only with the code `not_kept`. */
  count?: number;
}

/** A stamp card, configured on the central platform. */
export interface LoyaltyProgram {
  id: string;
  name: string;
  /** Stamps that make a full card. */
  qualifying_threshold: number;
  reward_config: ProgramReward;
  display_content: DisplayContent;
  created_at: string;
  updated_at: string;
}

/** One member, known to you by `ref`. */
export interface Member {
  id: string;
  member_base_id: string;
  /** Your own name for the member, unique in its memberbase. */
  ref: string;
  /** A present key overwrites, null removes, an absent key is left alone. */
  attributes: Record<string, string | number | boolean | null | string[]>;
  created_at: string;
  updated_at: string;
}

/** A set of members. `deleted_at` is there once it is deleted. */
export interface MemberBase {
  id: string;
  name: string;
  created_at: string;
  updated_at: string;
  deleted_at?: string;
}

/** The record that an id names, and the records that it belongs to; others are left out. */
export interface NamedRecord {
  id: string;
  kind: "transaction" | "qualifying_purchase" | "redemption" | "cashback" | "event" | "stamp_collection" | "clip";
  /** The transaction's `external_id`. */
  transaction_ref?: string;
  stamp_collection_id?: string;
  member_id?: string;
}

/** Where the next page begins. `cursor` is null on the last page. */
export interface Page {
  /** Records of this page. */
  page_size: number;
  /** Opaque. From the previous page; null for the first page, and after the last. */
  cursor: string | null;
  /** The number of records on all pages. */
  total?: number;
  /** Whether further pages exist. */
  more: boolean;
}

/** Which page of a list. */
export interface Pagination {
  /** Records of a page at most; 500 without it. A page ends sooner at 4 MiB. */
  limit?: number | undefined;
  /** Opaque. From the previous page; null for the first page, and after the last. */
  cursor?: string | null | undefined;
  /** Records to leave out before the page. */
  skip?: number | undefined;
}

/** What a full card gives: the purchase back, or a fixed amount. */
export type ProgramReward = {
  type: "refund";
} | {
  type: "fixed-reward";
  /** In minor units of the currency. */
  amount: number;
};

/** A stamp with its transaction, which is absent when retention has removed it. */
export interface QualifyingPurchase {
  id: string;
  stamp_collection_id: string;
  state: "live" | "redeemed" | "voided";
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  /** What the retailer says was paid, in minor units. */
  purchase_amount?: number;
  currency?: string;
  /** The redemption, by its id in `wallet.redemption/list`. */
  redemption_id?: string;
  created_at: string;
  /** When its transaction was reverted. */
  voided_at?: string;
  transaction?: Transaction;
}

/** A transaction became a stamp. */
export interface QualifyingPurchaseCreated {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "qualifying_purchase.created";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  qualifying_purchase_id: string;
  loyalty_program_id: string;
  stamp_collection_id: string;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases: number;
  created_at: string;
}

/** A stamp counts again: the redemption that held it was undone. */
export interface QualifyingPurchaseUnredeemed {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "qualifying_purchase.unredeemed";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  qualifying_purchase_id: string;
  loyalty_program_id: string;
  stamp_collection_id: string;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases: number;
}

/** A stamp counts no longer: its transaction was reverted. */
export interface QualifyingPurchaseVoided {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "qualifying_purchase.voided";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  qualifying_purchase_id: string;
  loyalty_program_id: string;
  stamp_collection_id: string;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases: number;
  /** When its transaction was reverted. */
  voided_at: string;
}

/** A full card. If it was undone, `stamps` are the stamps that it had taken, and its cashback is reverted. */
export interface Redemption {
  id: string;
  loyalty_program_id: string;
  stamp_collection_id: string;
  state: "standing" | "undone";
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  created_at: string;
  /** When it was undone, because a purchase of it was reverted while its cashback was pending. */
  undone_at?: string;
  /** The first 1000 of them, oldest first, as they are now. */
  stamps: Stamp[];
  /** How many there are in all. */
  stamps_total: number;
  cashback: Reward;
}

/** One event that was not applied; `index` is its place in the request. */
export interface RejectedEvent {
  index: number;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  code: "conflict" | "not_found";
  reason: string;
  from?: string;
  to?: string;
  field?: string;
}

/** Some events were rejected, all others are applied. `reason` and `external_id` are those of the first rejected event. */
export interface Rejection {
  reason: string;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  /** Events that were taken. */
  accepted: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: RejectedEvent[];
  /** The result of each event, a letter each, in the order of the request: `c` created, `u` updated, `n` unchanged, `r` rejected. Only with `prefer: return=representation`. */
  outcomes?: string;
  /** The first 100 events with ignored fields; all of them if the answer has `outcomes`. Absent if no field was ignored. */
  ignored?: IgnoredEvent[];
  /** How many there are in all. */
  ignored_total?: number;
}

/** A cashback as its transaction shows it. */
export interface Reward {
  id: string;
  state: "pending" | "cleared" | "reverted";
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: {
    type: "clip";
    clip_id: string | null;
    deal_id: string;
  } | {
    type: "loyalty-program-redemption";
    loyalty_program_id: string;
    stamp_collection_id: string | null;
    /** The redemption, by its id in `wallet.redemption/list`. */
    redemption_id: string | null;
  };
  created_at: string;
  /** When it settled. */
  cleared_at?: string;
  /** When it was refunded or cancelled. */
  reverted_at?: string;
}

/** A purchase that counts. The counter is the number of `live` stamps; a voided stamp still names the redemption that had taken it. */
export interface Stamp {
  id: string;
  stamp_collection_id: string;
  state: "live" | "redeemed" | "voided";
  transaction_id: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  /** What the retailer says was paid, in minor units. */
  purchase_amount?: number;
  currency?: string;
  /** The redemption, by its id in `wallet.redemption/list`. */
  redemption_id?: string;
  created_at: string;
  /** When its transaction was reverted. */
  voided_at?: string;
}

/** A member's enrolment in a loyalty program. */
export interface StampCollection {
  id: string;
  loyalty_program_id: string;
  created_at: string;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases: number;
}

/** An event of a known transaction whose `fields` differed from the stored values and were ignored. */
export interface TraceIgnored {
  at: string;
  fields: string[];
  batch_id?: string;
  index?: number;
}

/** An enrolment or an open clip of the member. One that was made more than 60 s after the purchase counts only where the program or deal is retroactive. */
export type TraceLink = {
  type: "enrolment";
  stamp_collection_id: string;
  loyalty_program_id: string;
  name?: string;
  made_at: string;
  counts: boolean;
  reason?: "made_too_late";
  text: string;
} | {
  type: "clip";
  clip_id: string;
  deal_id: string;
  name?: string;
  made_at: string;
  counts: boolean;
  reason?: "made_too_late";
  text: string;
};

/** One step. `kind` names it and determines its further fields. */
export type TraceStep = {
  at: string;
  kind: "received";
  transaction_id: string;
} | {
  at: string;
  kind: "authorized";
  transaction_id: string;
  network: "visa" | "mastercard" | "amex" | "other";
  merchant_id: string;
  /** The merchant's text on the card statement. Must not hold a card number. */
  statement_descriptor?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
} | {
  at: string;
  kind: "cleared";
  transaction_id: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
} | {
  at: string;
  kind: "reverted";
  transaction_id: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
} | {
  at: string;
  kind: "sent_to_platform";
  transaction_id: string;
  merchant_id: string;
  /** The merchant's text on the card statement. Must not hold a card number. */
  statement_descriptor?: string;
} | {
  at: string;
  kind: "stamp";
  qualifying_purchase_id: string;
  stamp_collection_id: string;
  loyalty_program_id: string;
  program_name?: string;
  number: number;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases?: number;
  /** Stamps that make a full card. */
  qualifying_threshold?: number;
  state: "live" | "redeemed" | "voided";
  /** What the retailer says was paid, in minor units. */
  purchase_amount?: number;
  currency?: string;
} | {
  at: string;
  kind: "stamp_voided";
  qualifying_purchase_id: string;
  stamp_collection_id: string;
  loyalty_program_id: string;
  program_name?: string;
  number: number;
  /** Stamps that are not redeemed yet. */
  unredeemed_purchases?: number;
  /** Stamps that make a full card. */
  qualifying_threshold?: number;
} | {
  at: string;
  kind: "redemption";
  /** The redemption, by its id in `wallet.redemption/list`. */
  redemption_id: string;
  stamp_collection_id: string;
  loyalty_program_id: string;
  program_name?: string;
  /** How many there are in all. */
  stamps_total: number;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
} | {
  at: string;
  kind: "redemption_undone";
  /** The redemption, by its id in `wallet.redemption/list`. */
  redemption_id: string;
  stamp_collection_id: string;
  loyalty_program_id: string;
  program_name?: string;
  /** How many there are in all. */
  stamps_total: number;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
} | {
  at: string;
  kind: "cashback";
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: {
    type: "clip";
    clip_id: string | null;
    deal_id: string;
  } | {
    type: "loyalty-program-redemption";
    loyalty_program_id: string;
    stamp_collection_id: string | null;
    /** The redemption, by its id in `wallet.redemption/list`. */
    redemption_id: string | null;
  };
  state: "pending" | "cleared" | "reverted";
} | {
  at: string;
  kind: "cashback_cleared";
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: {
    type: "clip";
    clip_id: string | null;
    deal_id: string;
  } | {
    type: "loyalty-program-redemption";
    loyalty_program_id: string;
    stamp_collection_id: string | null;
    /** The redemption, by its id in `wallet.redemption/list`. */
    redemption_id: string | null;
  };
} | {
  at: string;
  kind: "cashback_reverted";
  cashback_id: string;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  source: {
    type: "clip";
    clip_id: string | null;
    deal_id: string;
  } | {
    type: "loyalty-program-redemption";
    loyalty_program_id: string;
    stamp_collection_id: string | null;
    /** The redemption, by its id in `wallet.redemption/list`. */
    redemption_id: string | null;
  };
} | {
  at: string;
  kind: "event";
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  event_type: string;
} | {
  at: string;
  kind: "delivery";
  delivery_id: string;
  webhook_id: string;
  webhook_url: string;
  state: "pending" | "delivered" | "failed" | "split";
  /** How often it was sent. */
  attempts: number;
  status?: number;
  /** Why the attempt failed: dns_error, connection_refused, connection_reset, tls_error, timeout, blocked_address, redirect, http_4xx, http_5xx, response_too_large. Absent if it succeeded. */
  error_class?: string;
  /** When it is sent again at the earliest. */
  next_attempt_at?: string;
  event_ids: string[];
};

/** What a transaction waits for: `platform` its record may not have been sent yet; `no_links` its member has no enrolment or clip for which it counts; `match` the platform has not matched it (ask the platform why); `clearing` it is neither cleared nor reverted; `stamps` its card is not full; `amount` its full card waits for an amount or a currency; `webhook`, `webhook_paused` and `webhook_disabled` an event of it is not delivered. */
export interface TraceWaiting {
  code: "platform" | "no_links" | "match" | "clearing" | "stamps" | "amount" | "webhook" | "webhook_paused" | "webhook_disabled";
  text: string;
  stamp_collection_id?: string;
  loyalty_program_id?: string;
  program_name?: string;
  missing?: number;
  /** Stamps that make a full card. */
  qualifying_threshold?: number;
  cashback_ids?: string[];
  webhook_id?: string;
  webhook_url?: string;
  events?: number;
  failing_since?: string;
  /** When it is sent again at the earliest. */
  next_attempt_at?: string;
}

/** A card transaction as it is stored, without its identifiers. */
export interface TracedTransaction {
  id: string;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  member_id: string | null;
  state: "authorized" | "cleared" | "reverted";
  network: "visa" | "mastercard" | "amex" | "other";
  merchant_id: string;
  /** The merchant's text on the card statement. Must not hold a card number. */
  statement_descriptor?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
  /** When the card was authorized. */
  authed_at: string;
  /** When it settled. */
  cleared_at?: string;
  /** When it was refunded or cancelled. */
  reverted_at?: string;
  /** The cashbacks of the transaction. */
  rewards: Reward[];
}

/** A card transaction as it is stored. */
export interface Transaction {
  id: string;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  member_id: string | null;
  state: "authorized" | "cleared" | "reverted";
  network: "visa" | "mastercard" | "amex" | "other";
  merchant_id: string;
  /** The merchant's text on the card statement. Must not hold a card number. */
  statement_descriptor?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
  /** When the card was authorized. */
  authed_at: string;
  /** When it settled. */
  cleared_at?: string;
  /** When it was refunded or cancelled. */
  reverted_at?: string;
  /** SHA-256 in lower-case hex, the one over six BIN digits first. */
  identifiers: string[];
  /** The cashbacks of the transaction. */
  rewards: Reward[];
}

/** The events are on disk and will take effect; `transaction.batch/get` tells their results. `batch_id` is at most 1,000 characters long; `transaction.rejected` events and `transaction.rejection/list` name the batch by its part before the dot. */
export interface TransactionAccepted {
  status: "accepted";
  batch_id: string;
  /** Events that were taken. */
  accepted: number;
}

/** A card transaction as you know it now. `cleared_at` and `reverted_at` exclude each other. */
export interface TransactionEvent {
  member_id: string;
  /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
  external_id: string;
  /** Authorization code of the issuing bank. Not kept, and must not hold a card number. */
  auth_code: string;
  network: "visa" | "mastercard" | "amex" | "other";
  /** The first 6 to 8 digits of the card. Not kept. */
  bin: string;
  merchant_id: string;
  /** The merchant's text on the card statement. Must not hold a card number. */
  statement_descriptor?: string | undefined;
  /** In minor units of the currency. */
  amount?: number | undefined;
  currency?: string | undefined;
  /** When the card was authorized. */
  authed_at: string;
  /** When it settled. */
  cleared_at?: string | undefined;
  /** When it was refunded or cancelled. */
  reverted_at?: string | undefined;
}

/** Every event was applied and is committed. */
export interface TransactionProcessed {
  status: "processed";
  /** Events that were taken. */
  accepted: number;
  created: number;
  updated: number;
  unchanged: number;
  /** The result of each event, a letter each, in the order of the request: `c` created, `u` updated, `n` unchanged, `r` rejected. Only with `prefer: return=representation`. */
  outcomes?: string;
  /** The first 100 events with ignored fields; all of them if the answer has `outcomes`. Absent if no field was ignored. */
  ignored?: IgnoredEvent[];
  /** How many there are in all. */
  ignored_total?: number;
}

/** An event of a batch that was answered 202 was not applied. */
export interface TransactionRejected {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "transaction.rejected";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
  transaction_id?: string;
  /** The transaction's `external_id`. */
  transaction_ref: string;
  code: "conflict" | "not_found";
  reason: string;
  batch_id: string;
}

/** Every step of one transaction, and what it waits for. */
export interface TransactionTrace {
  transaction: TracedTransaction;
  steps: TraceStep[];
  waiting: TraceWaiting[];
  links: TraceLink[];
  /** The first 100 events with ignored fields; all of them if the answer has `outcomes`. Absent if no field was ignored. */
  ignored?: TraceIgnored[];
}

/** An address that receives events, without its secrets. */
export interface Webhook {
  id: string;
  url: string;
  events: string[];
  description: string;
  state: "enabled" | "paused" | "disabled";
  created_at: string;
  updated_at: string;
  failing_since?: string;
  last_success_at?: string;
}

/** A new webhook. `secret` signs its deliveries; only this answer has it. */
export interface WebhookCreated {
  id: string;
  url: string;
  events: string[];
  description: string;
  state: "enabled" | "paused" | "disabled";
  created_at: string;
  updated_at: string;
  failing_since?: string;
  last_success_at?: string;
  secret: string;
}

/** One request to a webhook, with the result of its last attempt. `next_attempt_at` is there while it is pending; `failed`: its event was refused for good, and later events are sent; `split`: its events are sent one by one, in deliveries whose `split_from` names it. */
export interface WebhookDelivery {
  id: string;
  webhook_id: string;
  event_ids: string[];
  state: "pending" | "delivered" | "failed" | "split";
  /** How often it was sent. */
  attempts: number;
  status?: number;
  /** Why the attempt failed: dns_error, connection_refused, connection_reset, tls_error, timeout, blocked_address, redirect, http_4xx, http_5xx, response_too_large. Absent if it succeeded. */
  error_class?: string;
  /** The first 4 KiB of what the receiver answered. */
  answer?: string;
  /** How long the attempt took. */
  duration_ms?: number;
  created_at: string;
  last_attempt_at?: string;
  /** When it is sent again at the earliest. */
  next_attempt_at?: string;
  delivered_at?: string;
  /** The delivery that was split; this one carries one of its events. */
  split_from?: string;
  /** When its events were sent again, in other deliveries. */
  replayed_at?: string;
}

/** A webhook, and how many events wait for it. */
export interface WebhookDetail {
  id: string;
  url: string;
  events: string[];
  description: string;
  state: "enabled" | "paused" | "disabled";
  created_at: string;
  updated_at: string;
  failing_since?: string;
  last_success_at?: string;
  /** Events that wait for the webhook or are on their way, counted up to 10000. */
  pending_events: number;
  /** Since when the oldest waiting event waits. Absent if none waits. */
  oldest_pending_at?: string;
}

/** One event. Ignore types and fields that you do not know. */
export type WebhookEvent = CashbackCreated | CashbackCleared | CashbackReverted | QualifyingPurchaseCreated | QualifyingPurchaseVoided | QualifyingPurchaseUnredeemed | TransactionRejected | WebhookTested;

/** A new secret; only this answer has it. */
export interface WebhookSecret {
  id: string;
  secret: string;
}

/** The result of the one attempt; `error_class` says why it failed. */
export interface WebhookTestOutcome {
  delivery_id: string;
  delivered: boolean;
  status?: number;
  /** Why the attempt failed: dns_error, connection_refused, connection_reset, tls_error, timeout, blocked_address, redirect, http_4xx, http_5xx, response_too_large. Absent if it succeeded. */
  error_class?: string;
  /** The first 4 KiB of what the receiver answered. */
  answer?: string;
  /** How long the attempt took. */
  duration_ms: number;
}

/** Sent by `webhook/test`. */
export interface WebhookTested {
  /** The same each time the event is sent: drop events that you have seen. */
  event_id: string;
  type: "webhook.test";
  timestamp: string;
  member_id: string | null;
  member_ref: string | null;
}

/** The body of each route's request. */
export interface PublisherRequests {
  "api-token/create": {
    /** `write` may do all that `read` may. */
    access: "read" | "write";
    description: string;
    /** From then on the token is refused. Without it the token is good until it is revoked. */
    expires_at?: string | undefined;
  };
  "api-token/list": {
    pagination?: Pagination | undefined;
  };
  "api-token/revoke": {
    id: string;
  };
  "member-base/create": {
    name: string;
  };
  "member-base/get": {
    id: string;
  };
  "member-base/list": {
    pagination?: Pagination | undefined;
    filters?: readonly Filter<"name">[] | undefined;
  };
  "member-base/delete": {
    id: string;
  };
  "member/list": {
    member_base_id: string;
    pagination?: Pagination | undefined;
    filters?: readonly Filter<"id" | "ref">[] | undefined;
  };
  "member/bulk-delete": {
    member_base_id: string;
    member_ids: readonly string[];
  } | {
    member_base_id: string;
    refs: readonly string[];
  };
  "member/bulk-upsert": {
    member_base_id: string;
    members: readonly {
      /** Your own name for the member, unique in its memberbase. */
      ref: string;
      /** A present key overwrites, null removes, an absent key is left alone. */
      attributes?: Readonly<Record<string, string | number | boolean | null | readonly string[]>> | undefined;
    }[];
  };
  "member/get": {
    id: string;
  } | {
    member_base_id: string;
    /** Your own name for the member, unique in its memberbase. */
    ref: string;
  };
  "member/find": {
    /** Your own name for the member, unique in its memberbase. */
    ref: string;
    pagination?: Pagination | undefined;
  };
  "id/resolve": {
    id: string;
  };
  "transaction.batch/get": {
    id: string;
  };
  "transaction.rejection/list": {
    /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
    external_id?: string | undefined;
    member_id?: string | undefined;
    since?: string | undefined;
    until?: string | undefined;
    pagination?: Pagination | undefined;
  };
  "transaction/list": {
    member_id: string;
    state?: "authorized" | "cleared" | "reverted" | undefined;
    since?: string | undefined;
    until?: string | undefined;
    pagination?: Pagination | undefined;
  };
  "transaction/export": {
    since?: string | undefined;
    until?: string | undefined;
    pagination?: Pagination | undefined;
  };
  "transaction/get": {
    /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
    external_id: string;
  };
  "transaction/trace": {
    /** Your own id of the transaction, by which it is recognised. Time-sortable ids, such as UUIDv7, are best. */
    external_id: string;
  };
  "transaction/ingest": {
    events: readonly TransactionEvent[];
  };
  "loyalty-program/list": {
    pagination?: Pagination | undefined;
  };
  "loyalty-program/get": {
    id: string;
  };
  "deal/list": {
    pagination?: Pagination | undefined;
  };
  "deal/get": {
    id: string;
  };
  "wallet.stamp-collection/create": {
    loyalty_program_id: string;
    member_id: string;
  };
  "wallet.stamp-collection/get": {
    id: string;
  };
  "wallet.stamp-collection/list": {
    member_id: string;
    pagination?: Pagination | undefined;
  };
  "qualifying-purchase/list": {
    stamp_collection_id: string;
    pagination?: Pagination | undefined;
  };
  "wallet.clip/save": {
    deal_id: string;
    member_id: string;
  };
  "wallet.clip/list": {
    member_id: string;
    pagination?: Pagination | undefined;
  };
  "wallet.cashback/list": {
    member_id: string;
    pagination?: Pagination | undefined;
  };
  "wallet.redemption/list": {
    member_id: string;
    pagination?: Pagination | undefined;
  };
  "webhook/create": {
    url: string;
    events: readonly ("*" | "cashback.*" | "qualifying_purchase.*" | "transaction.*" | "cashback.created" | "cashback.cleared" | "cashback.reverted" | "qualifying_purchase.created" | "qualifying_purchase.voided" | "qualifying_purchase.unredeemed" | "transaction.rejected")[];
    description?: string | undefined;
    secret?: string | undefined;
  };
  "webhook/get": {
    id: string;
  };
  "webhook/list": {
    pagination?: Pagination | undefined;
  };
  "webhook/update": {
    id: string;
    url?: string | undefined;
    events?: readonly ("*" | "cashback.*" | "qualifying_purchase.*" | "transaction.*" | "cashback.created" | "cashback.cleared" | "cashback.reverted" | "qualifying_purchase.created" | "qualifying_purchase.voided" | "qualifying_purchase.unredeemed" | "transaction.rejected")[] | undefined;
    description?: string | undefined;
    state?: "enabled" | "paused" | undefined;
  };
  "webhook/delete": {
    id: string;
  };
  "webhook/rotate-secret": {
    id: string;
    /** For how many seconds the previous secret signs as well; a day without it. */
    overlap_seconds?: number | undefined;
  };
  "webhook/test": {
    id: string;
  };
  "webhook/retry": {
    id: string;
  };
  "webhook.delivery/list": {
    webhook_id: string;
    state?: "pending" | "delivered" | "failed" | undefined;
    order?: "oldest" | "newest" | undefined;
    since?: string | undefined;
    until?: string | undefined;
    /** The same each time the event is sent: drop events that you have seen. */
    event_id?: string | undefined;
    pagination?: Pagination | undefined;
  };
  "webhook.delivery/get": {
    id: string;
  };
  "webhook.delivery/replay": {
    webhook_id: string;
    event_ids: readonly string[];
  } | {
    webhook_id: string;
    since: string;
  } | {
    webhook_id: string;
    since: string;
    until: string;
  } | {
    webhook_id: string;
    failed: true;
  };
  "event/list": {
    /** The `cursor` of the page before. Without it, or with null, the page begins with the oldest stored event. */
    after?: string | null | undefined;
    types?: readonly ("*" | "cashback.*" | "qualifying_purchase.*" | "transaction.*" | "cashback.created" | "cashback.cleared" | "cashback.reverted" | "qualifying_purchase.created" | "qualifying_purchase.voided" | "qualifying_purchase.unredeemed" | "transaction.rejected" | "webhook.test")[] | undefined;
    /** The transaction's `external_id`. */
    transaction_ref?: string | undefined;
    since?: string | undefined;
    /** Records of a page at most; 500 without it. A page ends sooner at 4 MiB. */
    limit?: number | undefined;
  };
}

/** The body of each route's success answers. */
export interface PublisherAnswers {
  "api-token/create": ApiTokenCreated;
  "api-token/list": {
    data: ApiToken[];
    page: Page;
  };
  "api-token/revoke": ApiToken;
  "member-base/create": MemberBase;
  "member-base/get": MemberBase;
  "member-base/list": {
    data: MemberBase[];
    page: Page;
  };
  "member-base/delete": MemberBase;
  "member/list": {
    data: Member[];
    page: Page;
  };
  "member/bulk-delete": {
    deleted: number;
  };
  "member/bulk-upsert": string[];
  "member/get": Member;
  "member/find": {
    data: Member[];
    page: Page;
  };
  "id/resolve": NamedRecord;
  "transaction.batch/get": Batch;
  "transaction.rejection/list": {
    data: KeptRejection[];
    page: Page;
  };
  "transaction/list": {
    data: Transaction[];
    page: Page;
  };
  "transaction/export": {
    data: Transaction[];
    page: Page;
  };
  "transaction/get": Transaction;
  "transaction/trace": TransactionTrace;
  "transaction/ingest": TransactionProcessed | TransactionAccepted;
  "loyalty-program/list": {
    data: LoyaltyProgram[];
    page: Page;
  };
  "loyalty-program/get": LoyaltyProgram;
  "deal/list": {
    data: Deal[];
    page: Page;
  };
  "deal/get": Deal;
  "wallet.stamp-collection/create": StampCollection;
  "wallet.stamp-collection/get": StampCollection;
  "wallet.stamp-collection/list": {
    data: StampCollection[];
    page: Page;
  };
  "qualifying-purchase/list": {
    data: QualifyingPurchase[];
    page: Page;
  };
  "wallet.clip/save": Clip;
  "wallet.clip/list": {
    data: Clip[];
    page: Page;
  };
  "wallet.cashback/list": {
    data: Cashback[];
    page: Page;
  };
  "wallet.redemption/list": {
    data: Redemption[];
    page: Page;
  };
  "webhook/create": WebhookCreated;
  "webhook/get": WebhookDetail;
  "webhook/list": {
    data: Webhook[];
    page: Page;
  };
  "webhook/update": Webhook;
  "webhook/delete": Webhook;
  "webhook/rotate-secret": WebhookSecret;
  "webhook/test": WebhookTestOutcome;
  "webhook/retry": {
    due: number;
  };
  "webhook.delivery/list": {
    data: WebhookDelivery[];
    page: Page;
  };
  "webhook.delivery/get": DeliveryDetail;
  "webhook.delivery/replay": {
    /** Events that will be sent again. */
    queued: number;
  };
  "event/list": EventPage;
}

/**
 * What a call of each route has to know: whether it only reads, whether it honours an idempotency key, and where its
 * request takes the cursor of the next page, if its answer is one.
 */
export const PUBLISHER_ROUTES = {
  "api-token/create": {"read":false,"keyed":true},
  "api-token/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "api-token/revoke": {"read":false,"keyed":false},
  "member-base/create": {"read":false,"keyed":true},
  "member-base/get": {"read":true,"keyed":false},
  "member-base/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "member-base/delete": {"read":false,"keyed":false},
  "member/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "member/bulk-delete": {"read":false,"keyed":false},
  "member/bulk-upsert": {"read":false,"keyed":false},
  "member/get": {"read":true,"keyed":false},
  "member/find": {"read":true,"keyed":false,"cursor":"pagination"},
  "id/resolve": {"read":true,"keyed":false},
  "transaction.batch/get": {"read":true,"keyed":false},
  "transaction.rejection/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "transaction/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "transaction/export": {"read":true,"keyed":false,"cursor":"pagination"},
  "transaction/get": {"read":true,"keyed":false},
  "transaction/trace": {"read":true,"keyed":false},
  "transaction/ingest": {"read":false,"keyed":false},
  "loyalty-program/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "loyalty-program/get": {"read":true,"keyed":false},
  "deal/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "deal/get": {"read":true,"keyed":false},
  "wallet.stamp-collection/create": {"read":false,"keyed":true},
  "wallet.stamp-collection/get": {"read":true,"keyed":false},
  "wallet.stamp-collection/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "qualifying-purchase/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "wallet.clip/save": {"read":false,"keyed":true},
  "wallet.clip/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "wallet.cashback/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "wallet.redemption/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "webhook/create": {"read":false,"keyed":true},
  "webhook/get": {"read":true,"keyed":false},
  "webhook/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "webhook/update": {"read":false,"keyed":false},
  "webhook/delete": {"read":false,"keyed":false},
  "webhook/rotate-secret": {"read":false,"keyed":false},
  "webhook/test": {"read":false,"keyed":false},
  "webhook/retry": {"read":false,"keyed":false},
  "webhook.delivery/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "webhook.delivery/get": {"read":true,"keyed":false},
  "webhook.delivery/replay": {"read":false,"keyed":false},
  "event/list": {"read":true,"keyed":false,"cursor":"after"},
} as const;

/** Every path of the API begins with it. */
export const PUBLISHER_PREFIX = "/publisher.v1/";

/** Every code that an answer's `error.code` can have, and the status of such an answer. */
export const ERROR_STATUS = {"bad_request":400,"authentication_error":401,"authorization_error":403,"not_found":404,"method_not_allowed":405,"conflict":409,"payload_too_large":413,"unsupported_media_type":415,"rate_limited":429,"internal_error":500,"unavailable":503} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Types of events that a webhook can subscribe to. */
export const EVENT_TYPES = ["cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Bounds of the API: entries of one request, bytes of its body, records of one page. */
export const LIMITS = {"eventsPerRequest":5000,"membersPerRequest":5000,"bodyBytes":8388608,"pageLimitMax":1000} as const;
