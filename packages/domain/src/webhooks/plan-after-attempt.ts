import type { DeliveryErrorClass } from "./delivery-error-class.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Contract, section 10: the waits after the first failure and those that follow; the last wait repeats. That
 * makes 76 attempts in 72 hours.
 */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
] as const;
const JITTER = 0.2;
/** Otherwise a target that always says `retry-after: 0` would be asked without a pause. */
const SHORTEST_ASKED_MS = SECOND_MS;
/** A webhook whose attempts have all failed for so long is disabled. */
const FAILING_MS = 72 * HOUR_MS;
/** After so many refusals a delivery is split, or its only event is parked. */
const REFUSALS = 10;
/** The 4xx that mean "not now" rather than "never": too slow, too early, too many. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429]);
const GONE = 410;

/** One attempt of a delivery, and the history that it belongs to. */
export interface JudgedAttempt {
  /** HTTP status; null if no answer came. */
  readonly status: number | null;
  /** Null: delivered. This field decides: a 200 whose body did not end is a `timeout`. */
  readonly errorClass: DeliveryErrorClass | null;
  /** How long the target asked to be left alone, in milliseconds, an hour at most; null if it did not ask. */
  readonly retryAfterMs: number | null;
  /** How many attempts of this delivery failed before. */
  readonly failures: number;
  /** How many of those were refused with a 4xx that counts. */
  readonly refusals: number;
  readonly eventCount: number;
  /** Since when all attempts of the webhook have failed; null if the one before this did not fail. */
  readonly failingSince: Date | null;
  /** When the attempt ended. */
  readonly now: Date;
  /** From [0, 1), so that deliveries that failed together are not sent again together. */
  readonly random: number;
}

/** What becomes of a delivery. `refused`: whether the attempt counts as a refusal. */
export type DeliveryPlan =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly afterMs: number; readonly refused: boolean }
  /** Its events go on one by one, in the delivery's place. */
  | { readonly kind: "split" }
  /** The delivery shows as failed, and the rest goes on. */
  | { readonly kind: "parked" }
  /** The webhook is disabled; the delivery stays the next one. */
  | { readonly kind: "disable"; readonly refused: boolean };

/** What follows from an attempt (contract, section 10). */
export function planAfterAttempt(attempt: JudgedAttempt): DeliveryPlan {
  const { status, errorClass, eventCount, failingSince, now } = attempt;
  if (errorClass === null) return { kind: "delivered" };
  const isAnswer = errorClass === "http_4xx" && status !== null;
  if (isAnswer && status === GONE) return { kind: "disable", refused: false };
  const refused = isAnswer && !NOT_NOW.has(status);
  // Checked before the split: what is left of a webhook that is disabled stays whole until somebody enables
  // it.
  if (failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_MS) {
    return { kind: "disable", refused };
  }
  if (refused && attempt.refusals + 1 >= REFUSALS) return { kind: eventCount > 1 ? "split" : "parked" };
  return { kind: "retry", afterMs: waitMs(attempt), refused };
}

function waitMs({ retryAfterMs, failures, random }: JudgedAttempt): number {
  if (retryAfterMs !== null) return Math.max(SHORTEST_ASKED_MS, retryAfterMs);
  const planned = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] as number;
  return Math.round(planned * (1 + JITTER * (2 * random - 1)));
}
