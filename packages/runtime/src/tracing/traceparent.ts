import { isSpanContextValid, type SpanContext, TraceFlags } from "@opentelemetry/api";

/** version "-" trace-id "-" parent-id "-" flags, and what a later version may append after another "-". */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** W3C Trace Context, sections 3.2 and 4.3; another system may have written it. undefined: it is not valid. */
export function readTraceparent(text: string): SpanContext | undefined {
  const match = TRACEPARENT.exec(text);
  if (match === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = match;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

export function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}
