import { createHmac } from "node:crypto";
import { webhookSecretBytes } from "../webhook-secret.ts";

/*
 * The rules of one attempt of a delivery (contract, section 10): how it is signed, why it failed, how long the target
 * asks to be left alone, and what follows.
 */

/** The signed content of a delivery. */
interface SignedContent {
  /** The `webhook-id` header. */
  readonly id: string;
  /** The `webhook-timestamp` header: seconds since 1970. */
  readonly timestamp: string;
  /** The body, as it is sent. */
  readonly body: string | Uint8Array;
}

/**
 * One signature of a delivery (Standard Webhooks 1.0.0, symmetric): `v1,` and the base64 of HMAC-SHA256 of
 * `id.timestamp.body`. The `webhook-signature` header has one for each secret, separated by spaces.
 * @param secret `whsec_…`
 */
export function signWebhook(secret: string, { id, timestamp, body }: SignedContent): string {
  const hmac = createHmac("sha256", webhookSecretBytes(secret));
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/**
 * The headers of a delivery's request.
 * @param secrets `whsec_…`; each signs
 * @param at when the attempt is made
 */
export function deliveryHeaders(
  secrets: readonly string[],
  { id, at, body }: { readonly id: string; readonly at: Date; readonly body: SignedContent["body"] },
) {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signWebhook(secret, { id, timestamp, body })).join(" "),
  };
}

/**
 * Why an attempt failed, as the list of deliveries shows it. Integrators may rely on a name, so it never
 * changes.
 *
 * - `connection_refused`: no connection came about, for example without a route to the address.
 * - `connection_reset`: the connection ended before the answer's head was there, or the answer was not HTTP.
 * - `timeout`: the answer's head was not there within 15 s.
 * - `blocked_address`: webhooks may not have this target; nothing was sent.
 * - `http_5xx`: also a status that HTTP does not have.
 */
export const DELIVERY_ERROR_CLASSES = [
  "dns_error",
  "connection_refused",
  "connection_reset",
  "tls_error",
  "timeout",
  "blocked_address",
  "redirect",
  "http_4xx",
  "http_5xx",
  "response_too_large",
] as const;
export type DeliveryErrorClass = (typeof DELIVERY_ERROR_CLASSES)[number];

/** The error class of a final status; null for a success. */
export function errorClassOfStatus(status: number): DeliveryErrorClass | null {
  if (status >= 200 && status <= 299) return null;
  if (status >= 300 && status <= 399) return "redirect";
  if (status >= 400 && status <= 499) return "http_4xx";
  return "http_5xx";
}

/** The beginning of a text, at most this many bytes of UTF-8, without half a character at the end. */
export function beginningOf(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Contract, section 10: a `retry-after` of more than an hour is not honoured. */
const LONGEST_ASKED_MS = HOUR_MS;
/** Dates as HTTP writes them today, and its two older forms (RFC 9110, section 5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * How long a target asks to be left alone by its `retry-after` header: seconds, or a date.
 * @returns milliseconds from 0 to an hour; null if there is no header, it is malformed, or it asks for more
 */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const asked = readRetryAfterMs(header, now);
  return asked === undefined || asked > LONGEST_ASKED_MS ? null : asked;
}

/**
 * What a `retry-after` header says: seconds, or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds, at least 0; undefined if there is no header or it is malformed
 */
export function readRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  // The oldest form names no zone, but means GMT too.
  const date = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

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
/** Otherwise a target that always answers `retry-after: 0` would get requests without a pause. */
const SHORTEST_ASKED_MS = SECOND_MS;
/** A webhook whose attempts have all failed for this long is disabled. */
const FAILING_MS = 72 * HOUR_MS;
/**
 * The longest planned time between two attempts: the longest wait, and some minutes for the attempt and its turn. A longer time is no
 * failure of the target: no attempt was made.
 */
const LONGEST_GAP_MS = (1 + JITTER) * HOUR_MS + 3 * MINUTE_MS;
/** After this many refusals a delivery is split, or its only event is parked. */
const REFUSALS = 10;
/** The 4xx that mean "not now" rather than "never": too slow, too early, too many. */
const NOT_NOW: ReadonlySet<number> = new Set([408, 425, 429]);
const GONE = 410;

/** A break of a webhook: all of its attempts have failed since. */
export interface Failing {
  readonly since: Date;
  /** When the last of them was made. */
  readonly last: Date;
  /** For how long, in milliseconds, without times in which no attempt was made. */
  readonly ms: number;
}

/** The break after another failed attempt. @param failing null: the attempt before did not fail */
export function failedAgain(failing: Failing | null, at: Date): Failing {
  if (failing === null) return { since: at, last: at, ms: 0 };
  const gapMs = Math.max(0, at.getTime() - failing.last.getTime());
  return { since: failing.since, last: at, ms: failing.ms + Math.min(gapMs, LONGEST_GAP_MS) };
}

/** One attempt of a delivery, and the history that it belongs to. */
export interface JudgedAttempt {
  /** HTTP status; null if no answer came. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly errorClass: DeliveryErrorClass | null;
  /** How long the target asked to be left alone, in milliseconds, an hour at most; null if it did not ask. */
  readonly retryAfterMs: number | null;
  /** How many attempts of this delivery failed before. */
  readonly failures: number;
  /** How many of those were refused with a 4xx that counts. */
  readonly refusals: number;
  readonly eventCount: number;
  /** For how long the webhook has failed, this attempt among them (`failedAgain`). */
  readonly failingMs: number;
  /** From [0, 1), so that deliveries that failed together are not sent again together. */
  readonly random: number;
}

/** What happens to a delivery next. `refused`: whether the attempt counts as a refusal. */
export type DeliveryPlan =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly afterMs: number; readonly refused: boolean }
  /** Its events become single deliveries in its place. */
  | { readonly kind: "split" }
  /** The delivery shows as failed, and the others continue. */
  | { readonly kind: "parked" }
  /** The webhook is disabled; the delivery stays the next one. */
  | { readonly kind: "disable"; readonly refused: boolean };

/** What follows from an attempt (contract, section 10). */
export function planAfterAttempt(attempt: JudgedAttempt): DeliveryPlan {
  const { status, errorClass, eventCount, failingMs } = attempt;
  if (errorClass === null) return { kind: "delivered" };
  const isAnswer = errorClass === "http_4xx" && status !== null;
  if (isAnswer && status === GONE) return { kind: "disable", refused: false };
  const refused = isAnswer && !NOT_NOW.has(status);
  // Checked before the split: the deliveries of a disabled webhook stay whole until it is enabled.
  if (failingMs >= FAILING_MS) return { kind: "disable", refused };
  if (refused && attempt.refusals + 1 >= REFUSALS) return { kind: eventCount > 1 ? "split" : "parked" };
  return { kind: "retry", afterMs: waitMs(attempt), refused };
}

function waitMs({ retryAfterMs, failures, random }: JudgedAttempt): number {
  if (retryAfterMs !== null) return Math.max(SHORTEST_ASKED_MS, retryAfterMs);
  const planned = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] as number;
  return Math.round(planned * (1 + JITTER * (2 * random - 1)));
}
