import { ApiError } from "#contract";
import type { ApiOptions, Endpoint } from "./api.ts";
import { BodyTurns } from "./body-turns.ts";
import { CallerLookUps } from "./caller-look-ups.ts";
import { EndpointExchange } from "./endpoint-exchange.ts";
import { errorResponse } from "./envelope.ts";
import { answerPage, type Page } from "./page.ts";
import type { Admission, Api, HttpRequest, HttpResponse } from "./server.ts";

/** The router: one table of endpoints, the same order of checks for each of them. */
export class EndpointApi<Caller extends object> implements Api {
  readonly #options: ApiOptions<Caller>;
  readonly #endpoints: ReadonlyMap<string, Endpoint<Caller>>;
  readonly #callers: CallerLookUps<Caller>;
  readonly #turns = new BodyTurns();

  constructor(options: ApiOptions<Caller>) {
    this.#options = options;
    const { prefix, endpoints } = options;
    this.#endpoints = new Map(endpoints.map((endpoint) => [prefix + endpoint.route, endpoint]));
    this.#callers = new CallerLookUps(options);
  }

  admit(request: HttpRequest): Admission | Promise<Admission> {
    const { path, method } = request;
    const page = this.#options.pages?.get(path);
    const endpoint = this.#endpoints.get(path);
    const exchange = new EndpointExchange(request, endpoint, page, this.#options, this.#turns);
    if (page !== undefined) return answerRead(exchange, page);
    if (endpoint === undefined) {
      return exchange.refuse(new ApiError("not_found", "no such path", { resource: "path" }));
    }
    if (method !== "POST") {
      return exchange.refuse(new ApiError("method_not_allowed", "only POST is answered here"));
    }
    return exchange.admit(endpoint, this.#callers);
  }
}

async function answerRead<Caller extends object>(
  exchange: EndpointExchange<Caller>,
  page: Page,
): Promise<HttpResponse> {
  const { request } = exchange;
  if (request.method === "GET" || request.method === "HEAD") {
    return exchange.end(await answerPage(page, request), "ok");
  }
  const refusal = new ApiError("method_not_allowed", "only GET and HEAD are answered here");
  const response = { ...errorResponse(refusal, request.traceId), headers: { allow: "GET, HEAD" } };
  return exchange.end(response, "method_not_allowed");
}
