/*
 * What the page reads of `publisher.v1 transaction/trace`, `transaction.rejection/list` and `platform.v1
 * purchase/explain`. Times are RFC 3339 in UTC, amounts are minor units.
 */

export type State = "authorized" | "cleared" | "reverted";
export type CashbackState = "pending" | "cleared" | "reverted";

export type Source =
  | { readonly type: "clip"; readonly clip_id: string; readonly deal_id: string }
  | {
      readonly type: "loyalty-program-redemption";
      readonly loyalty_program_id: string;
      readonly stamp_collection_id: string;
      readonly redemption_id: string;
    };

export interface TracedTransaction {
  readonly id: string;
  readonly external_id: string;
  readonly member_id: string | null;
  readonly state: State;
  readonly network: string;
  readonly merchant_id: string;
  readonly statement_descriptor?: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly authed_at: string;
  readonly cleared_at?: string;
  readonly reverted_at?: string;
}

interface OfCard {
  readonly stamp_collection_id: string;
  readonly loyalty_program_id: string;
  readonly program_name?: string;
}

type StepOf<Kind extends string, Fields = object> = { readonly at: string; readonly kind: Kind } & Fields;

type Money = { readonly amount: number; readonly currency: string };

export type StampStep = StepOf<
  "stamp",
  OfCard & {
    readonly qualifying_purchase_id: string;
    /** Its place on the card, over all that the card ever had. */
    readonly number: number;
    /** What the card had right after it; known for 30 days. */
    readonly unredeemed_purchases?: number;
    /** Today's. */
    readonly qualifying_threshold?: number;
    readonly purchase_amount?: number;
    readonly currency?: string;
    readonly state: "live" | "redeemed" | "voided";
  }
>;
export type VoidedStep = StepOf<
  "stamp_voided",
  OfCard & {
    readonly qualifying_purchase_id: string;
    readonly number: number;
    readonly unredeemed_purchases?: number;
  }
>;
export type RedemptionStep = StepOf<
  "redemption" | "redemption_undone",
  OfCard &
    Money & {
      readonly redemption_id: string;
      readonly stamps_total: number;
      /** Of the purchase that filled the card, which has the cashback. */
      readonly transaction_ref: string;
      readonly cashback_id: string;
    }
>;
type CashbackFields = Money & { readonly cashback_id: string; readonly source: Source };
export type CashbackStep = StepOf<"cashback", CashbackFields & { readonly state: CashbackState }>;
export type SettledStep = StepOf<"cashback_cleared" | "cashback_reverted", CashbackFields>;
export type EventStep = StepOf<"event", { readonly event_id: string; readonly event_type: string }>;
export type DeliveryStep = StepOf<
  "delivery",
  {
    readonly delivery_id: string;
    readonly webhook_id: string;
    readonly webhook_url: string;
    readonly state: "pending" | "delivered" | "failed" | "split";
    readonly attempts: number;
    readonly status?: number;
    readonly error_class?: string;
    readonly next_attempt_at?: string;
    readonly event_ids: readonly string[];
  }
>;

type MaybeMoney = { readonly amount?: number; readonly currency?: string };
type Place = { readonly merchant_id: string; readonly statement_descriptor?: string };

/** Told apart by `kind`; in the order of their times. */
export type Step =
  | StepOf<"received">
  | StepOf<"authorized", MaybeMoney & Place & { readonly network: string }>
  | StepOf<"cleared" | "reverted", MaybeMoney>
  | StepOf<"sent_to_platform", Place>
  | StampStep
  | VoidedStep
  | RedemptionStep
  | CashbackStep
  | SettledStep
  | EventStep
  | DeliveryStep;

export interface WaitingWebhook {
  readonly code: "webhook" | "webhook_paused" | "webhook_disabled";
  readonly text: string;
  readonly webhook_id: string;
  readonly webhook_url: string;
  readonly events: number;
  readonly failing_since?: string;
  readonly next_attempt_at?: string;
}

/** The most telling first; none: nothing more is to come. */
export type Waiting =
  | { readonly code: "platform" | "no_links" | "match"; readonly text: string }
  | { readonly code: "clearing"; readonly text: string; readonly cashback_ids?: readonly string[] }
  | ({
      readonly code: "stamps";
      readonly text: string;
      readonly missing: number;
      readonly qualifying_threshold: number;
    } & OfCard)
  | ({ readonly code: "amount"; readonly text: string } & OfCard)
  | WaitingWebhook;

interface LinkFields {
  readonly name?: string;
  readonly made_at: string;
  /** Whether it counts for this purchase. */
  readonly counts: boolean;
  readonly reason?: string;
  readonly text: string;
}
export type Link = LinkFields &
  (
    | { readonly type: "enrolment"; readonly stamp_collection_id: string; readonly loyalty_program_id: string }
    | { readonly type: "clip"; readonly clip_id: string; readonly deal_id: string }
  );

export interface Trace {
  readonly transaction: TracedTransaction;
  readonly steps: readonly Step[];
  readonly waiting: readonly Waiting[];
  readonly links: readonly Link[];
}

interface VerdictFields {
  readonly name?: string;
  readonly verdict: "earned" | "waiting" | "not_earned";
  readonly text: string;
  readonly reason?: string;
  readonly waits_for?: string;
  readonly until?: string;
  readonly outcome_id?: string;
}
export type Verdict = VerdictFields &
  (
    | { readonly type: "enrolment"; readonly stamp_collection_id?: string; readonly loyalty_program_id: string }
    | { readonly type: "clip"; readonly clip_id?: string; readonly deal_id: string }
  );

export interface Explanation {
  readonly kept: boolean;
  readonly routing: {
    readonly outcome: string;
    readonly text: string;
    readonly retailers: ReadonlyArray<{ readonly id: string; readonly name: string }>;
    readonly kept_for?: { readonly id: string; readonly name?: string };
  };
  readonly payment?: Money & { readonly payment_id: string; readonly paid_at: string };
  readonly verdicts: readonly Verdict[];
  readonly others: number;
}

/** An event that the lifecycle refused. */
export interface Rejection {
  readonly rejected_at: string;
  readonly code: string;
  readonly reason: string;
  readonly external_id?: string;
  readonly member_id?: string | null;
  readonly batch_id?: string;
  readonly index?: number;
  readonly from?: string;
  readonly to?: string;
  readonly field?: string;
}
