import { internalError } from "./refusals.ts";
import type { Api, HttpRequest, HttpResponse, HttpServerOptions } from "./server.ts";

/** An API whose exceptions have become a 500 for the client and a call of `onFault` for us. */
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
