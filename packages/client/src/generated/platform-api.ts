// Generated from the contract by `npm run generate`. Do not edit.
// biome-ignore-all lint: generated

/** An offer that members can save as clips. */
export interface Deal {
  id: string;
  name: string;
  reward_config: DealReward;
  display_content: DisplayContent;
  rules: Rules;
  /** Purchases before do not count. */
  starts_at?: string;
  /** Purchases from then on do not count. */
  ends_at?: string;
  created_at: string;
  updated_at: string;
}

/** A removed offer, as it was last. */
export interface DealDeleted {
  id: string;
  name: string;
  reward_config: DealReward;
  display_content: DisplayContent;
  rules: Rules;
  /** Purchases before do not count. */
  starts_at?: string;
  /** Purchases from then on do not count. */
  ends_at?: string;
  created_at: string;
  updated_at: string;
  deleted_at: string;
}

/** A share of the purchase, at most `max_amount`, or a fixed amount. */
export type DealReward = {
  type: "percent";
  /** Of the payment, rounded half up to the minor unit. */
  percent: number;
  /** The highest cashback, in minor units of the payment's currency. */
  max_amount?: number;
} | {
  type: "fixed";
  /** In minor units of the currency. */
  amount: number;
  currency: string;
};

/** A share of the purchase, at most `max_amount`, or a fixed amount. */
export type DealRewardInput = {
  type: "percent";
  /** Of the payment, rounded half up to the minor unit. */
  percent: number;
  /** The highest cashback, in minor units of the payment's currency. */
  max_amount?: number | undefined;
} | {
  type: "fixed";
  /** In minor units of the currency. */
  amount: number;
  currency: string;
};

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

/** For rendering in a user interface. `image` and `logo` are URLs. */
export interface DisplayContentInput {
  title: string;
  image: string;
  logo?: string | undefined;
  summary: string;
  description: string;
  terms: string;
  reward?: {
    formatted: string;
  } | undefined;
}

/** What a program or deal would have given. Purchases at merchants that no retailer has are not kept, so they are not counted. */
export interface DryRunResult {
  since: string;
  purchases: number;
  /** True if all purchases since `since` were tried, false if only the newest of them were. */
  complete: boolean;
  /** Purchases that would have counted if their members had been enrolled or had had the clip. */
  earned: number;
  /** How many of the earning purchases are of members who have the program or deal with this id. */
  linked?: number;
  /** Why the others did not count, the most frequent reason first. */
  reasons: {
    reason: string;
    purchases: number;
  }[];
  /** What the deal would have given, by currency. */
  rewards: {
    /** In minor units of the currency. */
    amount: number;
    currency: string;
    purchases: number;
  }[];
  examples: {
    transaction_id: string;
    merchant_id: string;
    statement_descriptor?: string;
    /** When the card was authorized. */
    authed_at: string;
    paid?: {
      /** In minor units of the currency. */
      amount: number;
      currency: string;
      /** When it was paid. */
      paid_at: string;
    };
    /** `earned`, or the reason why not. */
    result: string;
    reward?: {
      /** In minor units of the currency. */
      amount: number;
      currency: string;
    };
  }[];
  /** Merchant ids of the rules that no retailer has: no purchase there can count. */
  unrouted_merchant_ids: string[];
}

/** The purchase as the platform stored it, or else as the request describes it. */
export interface ExplainedPurchase {
  transaction_id?: string;
  state: "authorized" | "cleared" | "reverted";
  merchant_id: string;
  statement_descriptor?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
  /** When the card was authorized. */
  authed_at: string;
}

/** The retailer to which the purchase belonged when it was authorized, or why it belonged to none. */
export interface ExplainedRouting {
  outcome: "routed" | "unknown_merchant" | "no_descriptor_matches" | "ambiguous";
  text: string;
  retailers: {
    id: string;
    name?: string;
  }[];
  shared?: boolean;
  /** The retailer for which the purchase was kept, if the routing shown here gives another retailer. */
  kept_for?: {
    id: string;
    name?: string;
  };
}

/** The result for one enrolment or clip. `waiting` has `waits_for` and `until`, `not_earned` a `reason`; `amount` and `currency` are the retailer's for a stamp, and the cashback's for a deal. */
export type ExplainedVerdict = {
  type: "enrolment";
  stamp_collection_id?: string;
  loyalty_program_id: string;
  name?: string;
  verdict: "earned" | "waiting" | "not_earned";
  reason?: "reverted" | "unknown_merchant" | "no_descriptor_matches" | "ambiguous" | "removed" | "other_merchant" | "other_descriptor" | "amount_unknown" | "amount_too_low" | "other_currency" | "paid_too_early" | "paid_too_late" | "not_started" | "ended" | "no_reward" | "no_payment" | "payment_not_kept" | "already_earned";
  waits_for?: "payment";
  until?: string;
  text: string;
  /** Present if the publisher was told that the purchase earned this, even if today's rules say otherwise. */
  outcome_id?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
} | {
  type: "clip";
  clip_id?: string;
  deal_id: string;
  name?: string;
  verdict: "earned" | "waiting" | "not_earned";
  reason?: "reverted" | "unknown_merchant" | "no_descriptor_matches" | "ambiguous" | "removed" | "other_merchant" | "other_descriptor" | "amount_unknown" | "amount_too_low" | "other_currency" | "paid_too_early" | "paid_too_late" | "not_started" | "ended" | "no_reward" | "no_payment" | "payment_not_kept" | "already_earned";
  waits_for?: "payment";
  until?: string;
  text: string;
  /** Present if the publisher was told that the purchase earned this, even if today's rules say otherwise. */
  outcome_id?: string;
  /** In minor units of the currency. */
  amount?: number;
  currency?: string;
};

/** A stamp card. */
export interface LoyaltyProgram {
  id: string;
  name: string;
  /** Stamps that make a full card. */
  qualifying_threshold: number;
  reward_config: ProgramReward;
  display_content: DisplayContent;
  rules: Rules;
  created_at: string;
  updated_at: string;
}

/** A removed stamp card, as it was last. */
export interface LoyaltyProgramDeleted {
  id: string;
  name: string;
  /** Stamps that make a full card. */
  qualifying_threshold: number;
  reward_config: ProgramReward;
  display_content: DisplayContent;
  rules: Rules;
  created_at: string;
  updated_at: string;
  deleted_at: string;
}

/** Where the next page begins. `cursor` is null on the last page. */
export interface Page {
  /** Records of this page. */
  page_size: number;
  /** Opaque. From the previous page; null for the first page, and after the last. */
  cursor: string | null;
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

/** A payment as the retailer knows it, without card data. */
export interface Payment {
  /** The retailer's own id of the payment. If it comes twice, the first payment counts. */
  payment_id: string;
  /** SHA-256 in lower-case hex. A payment and a transaction that share one belong together. */
  identifiers: readonly string[];
  bin_digits?: readonly (6 | 8)[] | undefined;
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  /** When it was paid. */
  paid_at: string;
}

/** The payments are stored. */
export interface PaymentsAccepted {
  /** The number of payments in the request, new and known ones. */
  accepted: number;
}

/** What a full card gives: the purchase back, or a fixed amount. */
export type ProgramReward = {
  type: "refund";
} | {
  type: "fixed-reward";
  /** In minor units of the currency. */
  amount: number;
};

/** What a full card gives: the purchase back, or a fixed amount. */
export type ProgramRewardInput = {
  type: "refund";
} | {
  type: "fixed-reward";
  /** In minor units of the currency. */
  amount: number;
};

/** What a purchase earns by the rules that were in force when it was authorized, and why. */
export interface PurchaseExplained {
  kept: boolean;
  purchase: ExplainedPurchase;
  routing: ExplainedRouting;
  payment?: {
    /** The retailer's own id of the payment. If it comes twice, the first payment counts. */
    payment_id: string;
    /** In minor units of the currency. */
    amount: number;
    currency: string;
    /** When it was paid. */
    paid_at: string;
  };
  near_misses: {
    /** The retailer's own id of the payment. If it comes twice, the first payment counts. */
    payment_id: string;
    /** In minor units of the currency. */
    amount: number;
    currency: string;
    /** When it was paid. */
    paid_at: string;
    /** `identifiers`: none of them is the purchase's. `card`: the first six digits are the same, and not the eight. `paid_at`: more than 30 days before or after. */
    differs_in: "identifiers" | "card" | "paid_at";
    text: string;
  }[];
  verdicts: ExplainedVerdict[];
  others: number;
}

/** A shop. Transactions with one of its merchant ids belong to it. */
export interface Retailer {
  id: string;
  name: string;
  /** Compared trimmed and without regard to case. */
  merchant_ids: string[];
  /** Prefixes, compared only if several retailers share the merchant id. */
  statement_descriptors: string[];
  created_at: string;
  updated_at: string;
}

/** A retailer's new token, and how long the previous one stays valid. */
export interface RetailerToken {
  id: string;
  /** The retailer's token. Only the answer that creates it shows it. */
  token: string;
  /** Until then the previous token is valid; absent if it ended at once. */
  previous_until?: string;
}

/** A retailer; `token` is present if the retailer is new. */
export interface RetailerUpserted {
  id: string;
  name: string;
  /** Compared trimmed and without regard to case. */
  merchant_ids: string[];
  /** Prefixes, compared only if several retailers share the merchant id. */
  statement_descriptors: string[];
  created_at: string;
  updated_at: string;
  /** The retailer's token. Only the answer that creates it shows it. */
  token?: string;
}

/** Which purchases count. */
export interface Rules {
  /** Compared trimmed and without regard to case. */
  merchant_ids: string[];
  statement_descriptor?: string;
  /** The lowest payment that counts, in minor units. */
  min_amount?: number;
  currency?: string;
  /** Purchases before do not count. */
  paid_after?: string;
  /** Purchases from then on do not count. */
  paid_before?: string;
  /** True if purchases up to 30 days before an enrolment or clip was made count for it; otherwise purchases up to 60 s before do. */
  retroactive?: boolean;
  /** `retailer`: the purchase needs a payment with an equal identifier. `none`: it is enough that the transaction belongs to the retailer; then the platform knows no amount. */
  confirmation: "retailer" | "none";
}

/** Which purchases count. The default of `confirmation` is `retailer`. */
export interface RulesInput {
  /** Compared trimmed and without regard to case. */
  merchant_ids: readonly string[];
  statement_descriptor?: string | undefined;
  /** The lowest payment that counts, in minor units. */
  min_amount?: number | undefined;
  currency?: string | undefined;
  /** Purchases before do not count. */
  paid_after?: string | undefined;
  /** Purchases from then on do not count. */
  paid_before?: string | undefined;
  /** True if purchases up to 30 days before an enrolment or clip was made count for it; otherwise purchases up to 60 s before do. */
  retroactive?: boolean | undefined;
  /** `retailer`: the purchase needs a payment with an equal identifier. `none`: it is enough that the transaction belongs to the retailer; then the platform knows no amount. */
  confirmation?: "retailer" | "none" | undefined;
}

/** A payment as the retailer reported it, and what it is paired with. */
export interface StoredPayment {
  /** The retailer that was paid. Required with the platform's token. */
  retailer_id: string;
  /** The retailer's own id of the payment. If it comes twice, the first payment counts. */
  payment_id: string;
  state: "open" | "paired";
  transaction_id?: string;
  released_from?: string;
  /** SHA-256 in lower-case hex. A payment and a transaction that share one belong together. */
  identifiers: string[];
  bin_digits?: number[];
  /** In minor units of the currency. */
  amount: number;
  currency: string;
  /** When it was paid. */
  paid_at: string;
  /** When it was stored. */
  received_at: string;
}

/** The body of each route's request. */
export interface PlatformRequests {
  "loyalty-program/upsert": {
    id?: string | undefined;
    name: string;
    /** Stamps that make a full card. */
    qualifying_threshold: number;
    reward_config: ProgramRewardInput;
    display_content: DisplayContentInput;
    rules: RulesInput;
  };
  "loyalty-program/get": {
    id: string;
  };
  "loyalty-program/list": {
    pagination?: Pagination | undefined;
  };
  "loyalty-program/delete": {
    id: string;
  };
  "loyalty-program/dry-run": {
    id?: string | undefined;
    name: string;
    /** Stamps that make a full card. */
    qualifying_threshold: number;
    reward_config: ProgramRewardInput;
    display_content: DisplayContentInput;
    rules: RulesInput;
  };
  "deal/upsert": {
    id?: string | undefined;
    name: string;
    reward_config: DealRewardInput;
    display_content: DisplayContentInput;
    rules: RulesInput;
    /** Purchases before do not count. */
    starts_at?: string | undefined;
    /** Purchases from then on do not count. */
    ends_at?: string | undefined;
  };
  "deal/get": {
    id: string;
  };
  "deal/list": {
    pagination?: Pagination | undefined;
  };
  "deal/delete": {
    id: string;
  };
  "deal/dry-run": {
    id?: string | undefined;
    name: string;
    reward_config: DealRewardInput;
    display_content: DisplayContentInput;
    rules: RulesInput;
    /** Purchases before do not count. */
    starts_at?: string | undefined;
    /** Purchases from then on do not count. */
    ends_at?: string | undefined;
  };
  "retailer/upsert": {
    id?: string | undefined;
    name: string;
    /** Compared trimmed and without regard to case. */
    merchant_ids: readonly string[];
    /** Prefixes, compared only if several retailers share the merchant id. */
    statement_descriptors?: readonly string[] | undefined;
  };
  "retailer/get": {
    id: string;
  };
  "retailer/list": {
    pagination?: Pagination | undefined;
  };
  "retailer/rotate-token": {
    id: string;
    /** For how many seconds the previous token stays valid; the default is a day. */
    overlap_seconds?: number | undefined;
  };
  "retailer/delete": {
    id: string;
  };
  "payment/ingest": {
    /** The retailer that was paid. Required with the platform's token. */
    retailer_id?: string | undefined;
    payments: readonly Payment[];
  };
  "payment/get": {
    /** The retailer that was paid. Required with the platform's token. */
    retailer_id: string;
    /** The retailer's own id of the payment. If it comes twice, the first payment counts. */
    payment_id: string;
  };
  "payment/list": {
    /** The retailer that was paid. Required with the platform's token. */
    retailer_id?: string | undefined;
    since?: string | undefined;
    until?: string | undefined;
    pagination?: Pagination | undefined;
  };
  "purchase/explain": {
    transaction_id?: string | undefined;
    merchant_id?: string | undefined;
    statement_descriptor?: string | undefined;
    /** In minor units of the currency. */
    amount?: number | undefined;
    currency?: string | undefined;
    /** When the card was authorized. */
    authed_at?: string | undefined;
    /** When it settled. */
    cleared_at?: string | undefined;
    /** When it was refunded or cancelled. */
    reverted_at?: string | undefined;
    enrolments?: readonly {
      stamp_collection_id: string;
      loyalty_program_id: string;
    }[] | undefined;
    clips?: readonly {
      clip_id: string;
      deal_id: string;
    }[] | undefined;
  };
}

/** The body of each route's success answers. */
export interface PlatformAnswers {
  "loyalty-program/upsert": LoyaltyProgram;
  "loyalty-program/get": LoyaltyProgram;
  "loyalty-program/list": {
    data: LoyaltyProgram[];
    page: Page;
  };
  "loyalty-program/delete": LoyaltyProgramDeleted;
  "loyalty-program/dry-run": DryRunResult;
  "deal/upsert": Deal;
  "deal/get": Deal;
  "deal/list": {
    data: Deal[];
    page: Page;
  };
  "deal/delete": DealDeleted;
  "deal/dry-run": DryRunResult;
  "retailer/upsert": RetailerUpserted;
  "retailer/get": Retailer;
  "retailer/list": {
    data: Retailer[];
    page: Page;
  };
  "retailer/rotate-token": RetailerToken;
  "retailer/delete": {
    id: string;
    name: string;
    /** Compared trimmed and without regard to case. */
    merchant_ids: string[];
    /** Prefixes, compared only if several retailers share the merchant id. */
    statement_descriptors: string[];
    created_at: string;
    updated_at: string;
    deleted_at: string;
  };
  "payment/ingest": PaymentsAccepted;
  "payment/get": StoredPayment;
  "payment/list": {
    data: StoredPayment[];
    page: Page;
  };
  "purchase/explain": PurchaseExplained;
}

/**
 * What a call of each route has to know: whether it only reads, whether it honours an idempotency key, and where its
 * request takes the cursor of the next page, if its answer is one.
 */
export const PLATFORM_ROUTES = {
  "loyalty-program/upsert": {"read":false,"keyed":true},
  "loyalty-program/get": {"read":true,"keyed":false},
  "loyalty-program/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "loyalty-program/delete": {"read":false,"keyed":false},
  "loyalty-program/dry-run": {"read":false,"keyed":false},
  "deal/upsert": {"read":false,"keyed":true},
  "deal/get": {"read":true,"keyed":false},
  "deal/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "deal/delete": {"read":false,"keyed":false},
  "deal/dry-run": {"read":false,"keyed":false},
  "retailer/upsert": {"read":false,"keyed":true},
  "retailer/get": {"read":true,"keyed":false},
  "retailer/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "retailer/rotate-token": {"read":false,"keyed":false},
  "retailer/delete": {"read":false,"keyed":false},
  "payment/ingest": {"read":false,"keyed":false},
  "payment/get": {"read":true,"keyed":false},
  "payment/list": {"read":true,"keyed":false,"cursor":"pagination"},
  "purchase/explain": {"read":false,"keyed":false},
} as const;

/** Every path of the API begins with it. */
export const PLATFORM_PREFIX = "/platform.v1/";
