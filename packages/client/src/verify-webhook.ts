import { timingSafeEqual } from "node:crypto";
import { isWebhookSecret } from "#domain/formats";
import { signWebhook } from "#domain/webhooks";
import type { WebhookEvent } from "./generated/publisher-api.ts";

/** One event of a delivery; its `type` says which fields it has. */
export type { WebhookEvent };

/**
 * Why a request is not to be trusted.
 *
 * - `invalid_secret`: the secret that the caller gave is not a webhook's secret.
 * - `missing_header`, `invalid_header`: it is not signed as deliveries are.
 * - `timestamp_out_of_range`: it was made too long ago, so that it may be a replay by an attacker, or the
 *   clocks differ.
 * - `signature_mismatch`: another sender made it, or body and signature are not as they were sent.
 * - `invalid_body`: it is signed, but holds no events.
 */
export type WebhookVerificationCode =
  | "invalid_secret"
  | "missing_header"
  | "invalid_header"
  | "timestamp_out_of_range"
  | "signature_mismatch"
  | "invalid_body";

/** A request that is no delivery of this webhook: answer it with a 4xx and use nothing of it. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = "WebhookVerificationError";
    this.code = code;
  }
}

/** Headers of `fetch`, of Node's server, or any object; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** Default: now. */
  readonly now?: Date;
  /** How far the time of the attempt may be from now, either way. Default 300 s. */
  readonly toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks that Stampede sent a request for this webhook (Standard Webhooks 1.0.0), and reads its events, in
 * order. The same event may come again, in this or another delivery: recognise it by its `event_id`.
 * @param secret `whsec_…`; while secrets overlap after a rotation, either of them will do. Of several, one has to match.
 * @param rawBody as it came: a body that was parsed and written again has another signature
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  options: VerifyWebhookOptions = {},
): WebhookEvent[] {
  const secrets = typeof secret === "string" ? [secret] : secret;
  checkSecrets(secrets);
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature").split(" ");
  checkTimestamp(timestamp, options);
  const expected = secrets.map((one) => Buffer.from(signWebhook(one, { id, timestamp, body: rawBody })));
  // All signatures are compared, so that the time it takes does not tell which one matched.
  const matches = signatures.filter((signature) => {
    const given = Buffer.from(signature);
    return expected.filter((one) => isEqual(given, one)).length > 0;
  });
  if (matches.length === 0) {
    throw new WebhookVerificationError(
      "signature_mismatch",
      "no signature matches: another secret, or a body that is not the raw one",
    );
  }
  return readEvents(rawBody);
}

/**
 * Throws if there is no secret, or one that cannot be a webhook's.
 * @throws WebhookVerificationError
 */
export function checkSecrets(secrets: readonly string[]): void {
  if (secrets.length > 0 && secrets.every(isWebhookSecret)) return;
  throw new WebhookVerificationError(
    "invalid_secret",
    "the secret is not whsec_ and the base64 of 24 to 64 bytes, as webhook/create answers it",
  );
}

/**
 * A header that a delivery has once.
 * @throws WebhookVerificationError
 */
export function readHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findField(headers, name);
  if (value === undefined || value === null || value === "") {
    throw new WebhookVerificationError("missing_header", `the request has no ${name} header`);
  }
  if (typeof value !== "string") {
    throw new WebhookVerificationError("invalid_header", `the request has several ${name} headers`);
  }
  return value;
}

function findField(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | readonly string[] | undefined {
  const found = Object.keys(fields).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : fields[found];
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function checkTimestamp(
  timestamp: string,
  { now = new Date(), toleranceSeconds }: VerifyWebhookOptions,
): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("invalid_header", "webhook-timestamp is not a number of seconds");
  }
  const seconds = now.getTime() / 1000 - Number(timestamp);
  if (Math.abs(seconds) <= (toleranceSeconds ?? TOLERANCE_SECONDS)) return;
  const direction = seconds > 0 ? "ago" : "ahead";
  throw new WebhookVerificationError(
    "timestamp_out_of_range",
    `the request was made ${Math.round(Math.abs(seconds))} s ${direction} by this machine's clock`,
  );
}

/** The length is no secret: all signatures have the same. */
function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function readEvents(rawBody: string | Uint8Array): WebhookEvent[] {
  try {
    const text =
      typeof rawBody === "string" ? rawBody : new TextDecoder("utf-8", { fatal: true }).decode(rawBody);
    const { events } = JSON.parse(text) as { events: WebhookEvent[] };
    if (Array.isArray(events)) return events;
  } catch {
    // Falls through: the body was signed, but it is not a delivery.
  }
  throw new WebhookVerificationError("invalid_body", 'the body is not {"events":[…]}');
}
