import { errorResponse } from "./envelope.ts";
import type { Api, HttpRequest, HttpResponse, HttpServerOptions } from "./server.ts";

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

function internalError(traceId: string): HttpResponse {
  return errorResponse({ code: "internal_error", message: "internal error" }, traceId);
}

/** Wraps an API so that an exception becomes a 500 for the client and a call of `onFault`. */
export function guarded({ api, onFault }: Pick<HttpServerOptions, "api" | "onFault">): Api {
  const fault = (error: unknown, request: HttpRequest): HttpResponse => {
    onFault(error, request.traceId);
    return internalError(request.traceId);
  };
  return {
    admit(request) {
      try {
        return api.admit(request);
      } catch (error) {
        return fault(error, request);
      }
    },
    handle(request, body, respond) {
      try {
        api.handle(request, body, respond);
      } catch (error) {
        respond(fault(error, request));
      }
    },
  };
}
