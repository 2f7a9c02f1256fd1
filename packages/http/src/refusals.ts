import { errorResponse } from "./envelope.ts";
import type { HttpResponse } from "./server.ts";

/** The answers that the server gives by itself, without asking the API. */

export function malformed(message: string, traceId: string): HttpResponse {
  return errorResponse({ code: "bad_request", message, data: { issues: [{ path: "", message }] } }, traceId);
}

export function tooLarge(limitBytes: number, traceId: string): HttpResponse {
  const message = `the request body exceeds ${limitBytes} bytes`;
  return errorResponse({ code: "payload_too_large", message, data: { limit_bytes: limitBytes } }, traceId);
}

export function overloaded(traceId: string): HttpResponse {
  const message = "too many request bodies are arriving at once; nothing was accepted";
  return errorResponse({ code: "unavailable", message, retryAfterSeconds: 1 }, traceId);
}

export function internalError(traceId: string): HttpResponse {
  return errorResponse({ code: "internal_error", message: "internal error" }, traceId);
}
