import type { ErrorCode } from "#contract";
import type { Span, Tracing } from "#runtime";
import type { HttpRequest } from "./server.ts";

/** A caller may send any text as a method: others are named as OpenTelemetry's conventions demand. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * The span of a request, by OpenTelemetry's conventions for HTTP servers. It holds nothing that a caller can
 * make up: no path outside the table, no header, no body.
 * @param route the whole path, if the table has it; undefined otherwise
 */
export function beginRequestSpan(
  tracing: Tracing,
  { method, traceId, traceparent, startedAt }: HttpRequest,
  route: string | undefined,
): Span | undefined {
  const known = METHODS.has(method) ? method : "_OTHER";
  const verb = known === "_OTHER" ? "HTTP" : known;
  return tracing.serve({
    name: route === undefined ? verb : `${verb} ${route}`,
    traceId,
    traceparent,
    startedAt,
    attributes: { "http.request.method": known, ...(route !== undefined && { "http.route": route }) },
  });
}

/** A refusal is the caller's mistake and not an error of the span. */
export function endRequestSpan(span: Span, status: number, code: ErrorCode | "ok"): void {
  const attributes = { "http.response.status_code": status };
  if (code === "ok") span.end(attributes);
  else if (status < 500) span.end({ ...attributes, "stampede.error.code": code });
  else span.end(attributes, code);
}
