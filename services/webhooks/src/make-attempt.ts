import { encodeId, webhookSecretContext } from "#domain";
import type { SealedWebhookSecret } from "#publisher-db";
import type { Log, SecretBox, Span, Tracing } from "#runtime";
import type { PendingDelivery } from "./deliveries/cut-events.ts";
import type { Target } from "./deliveries/leased-webhook.ts";
import type { Sender, SendResult } from "./send/sender.ts";

/** The result of an attempt that was not made because none of the secrets opened. */
export const UNSIGNED = {
  durationMs: 0,
  status: null,
  errorClass: "secret_unavailable",
  answer: null,
} as const;

/** The part of a delivery for its request and span. */
interface Sendable extends Pick<PendingDelivery, "id" | "events" | "body" | "failures"> {
  readonly traceparents: ReadonlyArray<string | undefined>;
}

/**
 * Makes one request to a webhook; the caller records the result.
 * @param signal cuts the request
 * @returns undefined if no secret opens and nothing was sent (`UNSIGNED`)
 */
export async function makeAttempt(
  parts: { readonly sender: Sender; readonly secrets: SecretCache; readonly tracing?: Tracing | undefined },
  {
    id,
    target: { url, secrets: sealed },
  }: { readonly id: string; readonly target: Pick<Target, "url" | "secrets"> },
  delivery: Sendable,
  at: Date,
  signal?: AbortSignal,
): Promise<SendResult | undefined> {
  const secrets = parts.secrets.open(id, sealed);
  if (secrets.length === 0) return undefined;
  const span = parts.tracing && beginAttemptSpan(parts.tracing, url, delivery);
  const request = {
    url,
    webhookId: encodeId("dlv", delivery.id),
    timestamp: at,
    body: `{"events":[${delivery.body}]}`,
    secrets,
    traceparent: span?.traceparent,
  };
  const result = await parts.sender.send(request, signal);
  if (span !== undefined) endAttemptSpan(span, result);
  return result;
}

/**
 * The span of one attempt, by OpenTelemetry's conventions for HTTP clients. It follows the spans that made its events. It has only the
 * host of the URL, because the path may hold a secret.
 */
export function beginAttemptSpan(
  tracing: Tracing,
  url: string,
  delivery: Omit<Sendable, "body">,
): Span | undefined {
  return tracing.follow({
    name: "POST",
    kind: "client",
    from: delivery.traceparents,
    attributes: {
      "http.request.method": "POST",
      "http.request.resend_count": delivery.failures,
      "server.address": URL.canParse(url) ? new URL(url).hostname : "",
      "stampede.delivery.id": encodeId("dlv", delivery.id),
      "stampede.events": delivery.events,
    },
  });
}

export function endAttemptSpan(span: Span, { status, errorClass }: SendResult): void {
  span.end(status === null ? undefined : { "http.response.status_code": status }, errorClass ?? undefined);
}

/** Opened secrets that are kept in memory; beyond that, the one opened longest ago is dropped. */
const SECRETS_MAX = 10_000;
/** At most one log line in this time about secrets that do not open, because their webhooks are tried again and again. */
const COMPLAINT_MS = 60_000;

/**
 * Opens the secrets that sign deliveries, and keeps them by webhook and id: an id always means the same secret, under any encryption
 * key.
 */
export class SecretCache {
  readonly #box: SecretBox;
  readonly #log: Log;
  readonly #opened = new Map<string, string>();
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(box: SecretBox, log: Log) {
    this.#box = box;
    this.#log = log;
  }

  /** The secrets in the form `whsec_…`, in their order. Those that do not open are left out; the others still sign. */
  open(webhookId: string, secrets: readonly SealedWebhookSecret[]): string[] {
    return secrets.map((secret) => this.#openOne(webhookId, secret)).filter((opened) => opened !== undefined);
  }

  #openOne(webhookId: string, secret: SealedWebhookSecret): string | undefined {
    const context = webhookSecretContext(webhookId, secret.id);
    const known = this.#opened.get(context);
    if (known !== undefined) return known;
    try {
      const opened = `whsec_${Buffer.from(this.#box.open(secret, context)).toString("base64")}`;
      this.#opened.set(context, opened);
      if (this.#opened.size > SECRETS_MAX) this.#opened.delete(this.#opened.keys().next().value as string);
      return opened;
    } catch (error) {
      this.#complain(webhookId, secret, error);
      return undefined;
    }
  }

  #complain(webhook: string, { id, keyId }: SealedWebhookSecret, error: unknown): void {
    const now = performance.now();
    if (now - this.#complainedAt < COMPLAINT_MS) return;
    this.#complainedAt = now;
    this.#log.error(
      { err: error, webhook, secret: id, key: keyId },
      "a webhook's secret cannot be decrypted",
    );
  }
}
