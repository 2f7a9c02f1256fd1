import type { DeliveryPlan, Failing } from "#domain/webhooks";
import type { Cut } from "./cut-events.ts";

/** The result of one attempt, and what follows from it. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly at: Date;
  readonly durationMs: number;
  /** HTTP status; null: no answer came. */
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: string | null;
  /** The answer, at most 4 KiB of text that a database can keep. */
  readonly answer: string | null;
  readonly next: DeliveryPlan;
  /** Present if the delivery may have no row yet. */
  readonly cut: Cut | undefined;
  /** Of the address that the attempt was made to (`Target`). */
  readonly revision: number;
  /** The webhook's break after this attempt; null: the attempt did not fail. */
  readonly failing: Failing | null;
  /** Whether the webhook's attempt before this one, of any delivery, did not fail. */
  readonly wasUp: boolean;
}

export interface AttemptRecord {
  readonly owner: string;
  /**
   * The attempts of one webhook are in the order in which they were made; at most one of each delivery. All but the last were
   * delivered: it is only known with the record whether any other leaves its delivery pending.
   */
  readonly attempts: readonly DeliveryAttempt[];
  /** Webhooks to give back in the same write: all deliveries that were taken for them are delivered. */
  readonly finished: readonly string[];
}

/** The results for the webhooks whose attempts were to be recorded. */
export interface RecordedAttempts {
  /** Another session has locked them: nothing was recorded, and all of it must be recorded again. */
  readonly locked: readonly string[];
  /** They no longer belong to this owner: nothing was recorded. */
  readonly gone: readonly string[];
  /** They were given back. */
  readonly released: readonly string[];
  /** The released ones that are due again. */
  readonly due: readonly string[];
}
