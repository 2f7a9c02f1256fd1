import type { DeliveryPlan, Failing } from "#domain/webhooks";
import type { Cut } from "./cut-events.ts";

/** What one attempt came to, and what follows from it. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: Date;
  readonly durationMs: number;
  /** HTTP status; null where there was none. */
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: string | null;
  /** What was answered, at most 4 KiB of text that a database can keep. */
  readonly answer: string | null;
  readonly next: DeliveryPlan;
  /** Of a delivery that may have no row yet. */
  readonly cut: Cut | undefined;
  /** Of the address that it was made to (`Target`). */
  readonly revision: number;
  /** How the webhook stands with it; null: it did not fail. */
  readonly failing: Failing | null;
  /** Whether the attempt before it, of whatever delivery of this webhook, did not fail. */
  readonly wasUp: boolean;
}

export interface AttemptRecord {
  readonly owner: string;
  /** The attempts of one webhook are in the order in which they were made; at most one of each delivery. */
  readonly attempts: readonly DeliveryAttempt[];
  /** Webhooks to give back with this: all that was taken for them is delivered or parked. */
  readonly finished: readonly string[];
}

/** Webhooks by what became of their leases, and of what was to be recorded. */
export interface RecordedAttempts {
  /** Somebody else has locked them: nothing was recorded for them, and all of it is to be recorded again. */
  readonly locked: readonly string[];
  /** They are not this owner's any more, and nothing was recorded for them. */
  readonly gone: readonly string[];
  /** They were given back. */
  readonly released: readonly string[];
  /** Those of them that are due again. */
  readonly due: readonly string[];
}
