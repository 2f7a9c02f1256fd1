import { encodeId } from "#domain";
import type { Span, Tracing } from "#runtime";
import type { LeasedWebhook } from "./deliveries/leases.ts";
import type { PendingDelivery } from "./deliveries/take-deliveries.ts";
import type { SecretCache } from "./secret-cache.ts";
import type { Sender, SendResult } from "./send/sender.ts";

/** What an attempt comes to that was not made, since nothing could sign it. */
export const UNSIGNED = {
  durationMs: 0,
  status: null,
  errorClass: "secret_unavailable",
  answer: null,
} as const;

/** What a request and its span say of a delivery. */
interface Sendable extends Pick<PendingDelivery, "id" | "eventIds" | "bodies" | "failures"> {
  readonly traceparents: ReadonlyArray<string | undefined>;
}

/**
 * Makes one request to a webhook; what comes of it is recorded by the caller.
 * @param signal cuts it
 * @returns undefined when no secret opens, and nothing could be sent (`UNSIGNED`)
 */
export async function makeAttempt(
  parts: { readonly sender: Sender; readonly secrets: SecretCache; readonly tracing?: Tracing | undefined },
  { id, url, secrets: sealed }: LeasedWebhook,
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
    body: `{"events":[${delivery.bodies.join(",")}]}`,
    secrets,
    traceparent: span?.traceparent,
  };
  const result = await parts.sender.send(request, signal);
  if (span !== undefined) endAttemptSpan(span, result);
  return result;
}

/**
 * The span of one attempt, by OpenTelemetry's conventions for HTTP clients: it goes on from where its events were made.
 * The host is all that is told of the URL, whose path may be a secret.
 */
export function beginAttemptSpan(
  tracing: Tracing,
  url: string,
  delivery: Omit<Sendable, "bodies">,
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
      "stampede.events": delivery.eventIds.length,
    },
  });
}

export function endAttemptSpan(span: Span, { status, errorClass }: SendResult): void {
  span.end(status === null ? undefined : { "http.response.status_code": status }, errorClass ?? undefined);
}
