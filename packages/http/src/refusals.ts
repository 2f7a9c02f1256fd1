import { errorResponse } from "./envelope.ts";
import {
  type Admission,
  type Api,
  type HttpRequest,
  type HttpResponse,
  type HttpServerOptions,
  isAdmitted,
} from "./server.ts";

/** The answers of the server itself, without the API. */

export function malformed(message: string, traceId: string): HttpResponse {
  return errorResponse({ code: "bad_request", message, data: { issues: [{ path: "", message }] } }, traceId);
}

export function tooLarge(limitBytes: number, traceId: string): HttpResponse {
  const message = `the request body exceeds ${limitBytes} bytes`;
  return errorResponse({ code: "payload_too_large", message, data: { limit_bytes: limitBytes } }, traceId);
}

export function overloaded(traceId: string): HttpResponse {
  return unavailable("too many bodies of your requests are arriving at once; nothing was accepted", traceId);
}

/** The caller has not read its answers. */
export function tooManyUnread(traceId: string): HttpResponse {
  const message = "too many answers to your requests wait to be read; nothing was accepted";
  return unavailable(message, traceId, { reason: "unread_answers" });
}

/** The connection is above the limit of connections. */
export function tooManyConnections(traceId: string): HttpResponse {
  const message = "too many connections are open; nothing was accepted. Keep connections, and use them again";
  return unavailable(message, traceId, { reason: "too_many_connections" });
}

/** Too many earlier requests of its connection wait. */
export function tooManyPipelined(limit: number, traceId: string): HttpResponse {
  return unavailable(
    `${limit} requests wait on this connection; wait for answers. This one was not accepted`,
    traceId,
  );
}

function unavailable(message: string, traceId: string, data = {}): HttpResponse {
  return errorResponse({ code: "unavailable", message, data }, traceId);
}

/** The request did not arrive completely in time. */
export function tooSlow(limitMs: number, traceId: string): HttpResponse {
  return malformed(`the request did not arrive whole within ${limitMs} ms`, traceId);
}

/** Wraps an API so that an exception becomes a 500 for the client and a call of `onFault`. */
export function guarded({ api, onFault }: Pick<HttpServerOptions, "api" | "onFault">): Api {
  const fault = (error: unknown, request: HttpRequest): HttpResponse => {
    onFault(error, request.traceId);
    return errorResponse({ code: "internal_error", message: "internal error" }, request.traceId);
  };
  const guard = (admission: Admission, request: HttpRequest): Admission => {
    if (!isAdmitted(admission)) return admission;
    return {
      sender: admission.sender,
      isRead: admission.isRead === true,
      handle(body, respond) {
        try {
          admission.handle(body, respond);
        } catch (error) {
          respond(fault(error, request));
        }
      },
    };
  };
  return {
    admit(request) {
      try {
        const admission = api.admit(request);
        if (!(admission instanceof Promise)) return guard(admission, request);
        return admission.then(
          (settled) => guard(settled, request),
          (error: unknown) => fault(error, request),
        );
      } catch (error) {
        return fault(error, request);
      }
    },
  };
}
