import type { Hop } from "#contract";
import type { SpanAttributes } from "#runtime";

/** What a span says of the hop that it writes or reads, by OpenTelemetry's conventions for messaging. */
export function messagingAttributes(operation: "send" | "process", { stream }: Hop): SpanAttributes {
  return {
    "messaging.system": "nats",
    "messaging.operation.type": operation,
    "messaging.operation.name": operation,
    "messaging.destination.name": stream,
  };
}
