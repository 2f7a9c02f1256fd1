import type { SealedWebhookSecret } from "#publisher-db";

/*
 * What the webhook dispatcher takes from the database and gives back. All ids are UUIDs, all times are those of the
 * database (`DatabaseClock`).
 */

/** A webhook whose deliveries this process makes, until the lease ends. */
export interface LeasedWebhook {
  readonly id: string;
  readonly organisationId: string;
  readonly url: string;
  /** Since when every attempt has failed; null: the last one did not. */
  readonly failingSince: Date | null;
  /** The current one first. */
  readonly secrets: readonly SealedWebhookSecret[];
}

/** One request to be made; the same id over all of its attempts. */
export interface PendingDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** In order. */
  readonly eventIds: readonly string[];
  /** JSON of each event. */
  readonly bodies: readonly string[];
  /** Of the spans that the events are from, for each event that was traced. */
  readonly traceparents: readonly string[];
  /** Attempts that failed so far. */
  readonly failures: number;
  /** Those of them that were refused with a 4xx that counts (contract, section 10). */
  readonly refusals: number;
}

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
  readonly next:
    | { readonly kind: "delivered" }
    | { readonly kind: "retry"; readonly afterMs: number; readonly refused: boolean }
    /** Its events go on one by one, in its place. */
    | { readonly kind: "split" }
    /** It shows as failed and the rest goes on. */
    | { readonly kind: "parked" }
    /** The webhook is disabled; the delivery stays what is next. */
    | { readonly kind: "disable"; readonly refused: boolean };
}
