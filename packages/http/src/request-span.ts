import type { ErrorCode } from "#contract";
import type { Span, Tracing } from "#runtime";
import type { HttpRequest } from "./server.ts";

/** Anything may stand there in a request: what is not one of ours is told as the conventions of OpenTelemetry have it. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * The span of a request, by OpenTelemetry's conventions for HTTP servers. Nothing that a caller makes up is in it: no path
 * that is not in the table, no header, no body.
 * @param route the whole path, of the table; undefined where it is not in there
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

/** A refusal is the caller's affair and no error of the span. */
export function endRequestSpan(span: Span, status: number, code: ErrorCode | "ok"): void {
  const attributes = { "http.response.status_code": status };
  if (code === "ok") span.end(attributes);
  else if (status < 500) span.end({ ...attributes, "stampede.error.code": code });
  else span.end(attributes, code);
}
