/**
 * The model's knowledge of the world: every answered write request, in the order of the answers. Bodies are
 * those of the requests. A refused request is no fact. Neither this file nor `wallet*.ts` imports anything
 * from the product.
 */

export interface Rules {
  readonly merchant_ids: readonly string[];
  readonly statement_descriptor?: string | undefined;
  readonly min_amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly paid_after?: string | undefined;
  readonly paid_before?: string | undefined;
  readonly retroactive?: boolean | undefined;
  readonly confirmation?: "retailer" | "none" | undefined;
}

export interface Program {
  readonly qualifying_threshold: number;
  readonly reward_config:
    | { readonly type: "refund" }
    | { readonly type: "fixed-reward"; readonly amount: number };
  readonly rules: Rules;
}

export interface Deal {
  readonly reward_config:
    | { readonly type: "percent"; readonly percent: number; readonly max_amount?: number | undefined }
    | { readonly type: "fixed"; readonly amount: number; readonly currency: string };
  readonly rules: Rules;
  readonly starts_at?: string | undefined;
  readonly ends_at?: string | undefined;
}

export interface Retailer {
  readonly merchant_ids: readonly string[];
  readonly statement_descriptors?: readonly string[] | undefined;
}

export interface TransactionEvent {
  readonly member_id: string;
  readonly external_id: string;
  readonly auth_code: string;
  readonly network: "visa" | "mastercard" | "amex" | "other";
  readonly bin: string;
  readonly merchant_id: string;
  readonly statement_descriptor?: string | undefined;
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  readonly authed_at: string;
  readonly cleared_at?: string | undefined;
  readonly reverted_at?: string | undefined;
}

export interface Payment {
  readonly payment_id: string;
  readonly identifiers: readonly string[];
  /** How many digits each of them covers. */
  readonly bin_digits?: readonly number[];
  readonly amount: number;
  readonly currency: string;
  readonly paid_at: string;
}

/** `at`: when it came into force, as the answer says (`updated_at`, `created_at`, `deleted_at`). */
export type Fact =
  | { readonly kind: "program"; readonly id: string; readonly at: string; readonly record: Program | null }
  | { readonly kind: "deal"; readonly id: string; readonly at: string; readonly record: Deal | null }
  | { readonly kind: "retailer"; readonly id: string; readonly at: string; readonly record: Retailer | null }
  | { readonly kind: "member"; readonly id: string; readonly memberbase: string }
  | { readonly kind: "member-deletion"; readonly id: string }
  | { readonly kind: "memberbase-deletion"; readonly id: string }
  | EnrolmentFact
  | ClipFact
  | { readonly kind: "event"; readonly event: TransactionEvent }
  | PaymentFact;

export interface EnrolmentFact {
  readonly kind: "enrolment";
  readonly id: string;
  readonly at: string;
  readonly member: string;
  readonly program: string;
}

export interface ClipFact {
  readonly kind: "clip";
  readonly id: string;
  readonly at: string;
  readonly member: string;
  readonly deal: string;
}

export interface PaymentFact {
  readonly kind: "payment";
  readonly retailer: string;
  readonly payment: Payment;
}
