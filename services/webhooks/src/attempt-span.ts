import { encodeId } from "#domain";
import type { Span, Tracing } from "#runtime";
import type { PendingDelivery } from "./deliveries/delivery-work.ts";
import type { SendResult } from "./send/sender.ts";

/** What a span tells of a delivery, or of a test. */
interface TracedDelivery extends Pick<PendingDelivery, "id" | "eventIds" | "failures"> {
  readonly traceparents: ReadonlyArray<string | undefined>;
}

/**
 * The span of one attempt, by OpenTelemetry's conventions for HTTP clients: it goes on from where its events were made.
 * The host is all that is told of the URL, whose path may be a secret.
 */
export function beginAttemptSpan(tracing: Tracing, url: string, delivery: TracedDelivery): Span | undefined {
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
