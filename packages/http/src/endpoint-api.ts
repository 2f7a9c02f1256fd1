import { ApiError, type ErrorCode } from "#contract";
import type { Span, Tracing } from "#runtime";
import type { ApiOptions, AuthenticationFault, Endpoint, RateVerdict } from "./api.ts";
import { BodyTurns } from "./body-turns.ts";
import { CallerLookUps, NoCaller } from "./caller-look-ups.ts";
import { errorResponse, notFound } from "./envelope.ts";
import { answerPage, type Page } from "./page.ts";
import { readBody } from "./read-body.ts";
import type { Admission, AdmittedRequest, Api, HttpRequest, HttpResponse } from "./server.ts";

const JSON_TYPE = /^application\/json *(?:;|$)/i;
/**
 * If more than these milliseconds pass between the check of the token and the end of the body, the token is checked once more.
 * Otherwise whoever holds a token could keep requests open, and end them after it was revoked.
 */
const SLOW_BODY_MS = 100;

/** The router: one table of endpoints, with the same order of checks for each of them. */
export class EndpointApi<Caller extends object> implements Api {
  readonly #parts: ApiParts<Caller>;
  readonly #endpoints: ReadonlyMap<string, Endpoint<Caller>>;

  constructor(options: ApiOptions<Caller>) {
    this.#parts = { options, callers: new CallerLookUps(options), turns: new BodyTurns() };
    const { prefix, endpoints } = options;
    this.#endpoints = new Map(endpoints.map((endpoint) => [prefix + endpoint.route, endpoint]));
  }

  admit(request: HttpRequest): Admission | Promise<Admission> {
    const { path, method } = request;
    const page = this.#parts.options.pages?.get(path);
    const endpoint = this.#endpoints.get(path);
    const exchange = new EndpointExchange(request, endpoint, page, this.#parts);
    if (page !== undefined) return answerRead(exchange, page);
    if (endpoint === undefined) {
      return exchange.refuse(notFound("path"));
    }
    if (method !== "POST") {
      return exchange.refuse(new ApiError("method_not_allowed", "only POST is answered here"));
    }
    return exchange.admit(endpoint);
  }
}

/** What all exchanges of an API share. */
interface ApiParts<Caller extends object> {
  readonly options: ApiOptions<Caller>;
  readonly callers: CallerLookUps<Caller>;
  readonly turns: BodyTurns;
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

/** A request, and its progress: admitted or refused by its head, then handled with its body. */
class EndpointExchange<Caller extends object> implements AdmittedRequest {
  readonly request: HttpRequest;
  sender = "";
  readonly isRead: boolean;
  readonly #endpoint: Endpoint<Caller> | undefined;
  readonly #page: Page | undefined;
  readonly #options: ApiOptions<Caller>;
  readonly #callers: CallerLookUps<Caller>;
  readonly #turns: BodyTurns;
  #bodyBytes = 0;
  #checkedAt = 0;
  #span: Span | undefined;
  #caller: Caller | undefined;
  #fault: AuthenticationFault | undefined;
  #rate: RateVerdict | undefined;

  constructor(
    request: HttpRequest,
    endpoint: Endpoint<Caller> | undefined,
    page: Page | undefined,
    { options, callers, turns }: ApiParts<Caller>,
  ) {
    this.request = request;
    this.#endpoint = endpoint;
    this.isRead = endpoint?.isRead === true;
    this.#page = page;
    this.#options = options;
    this.#callers = callers;
    this.#turns = turns;
  }

  /**
   * Checks everything that can be checked before the body: the form of the token, content type, room, the
   * token itself, its caller's rate and rights, and whether there is room for the content of a body of the
   * declared size.
   */
  admit(endpoint: Endpoint<Caller>): Admission | Promise<Admission> {
    const token = this.#callers.tokenOf(this.request);
    if (typeof token !== "string") return this.#refuseUnknown(token);
    if (!JSON_TYPE.test(this.request.header("content-type") ?? "")) {
      return this.refuse(new ApiError("unsupported_media_type", "send content-type: application/json"));
    }
    const full = endpoint.refuseAtDoor?.();
    if (full !== undefined) return this.refuse(full);
    try {
      const found = this.#callers.find(this.request, token);
      if (!(found instanceof Promise)) return this.#letIn(endpoint, found);
      return found.then((later) => this.#letIn(endpoint, later)).catch((error) => this.#fail(error));
    } catch (error) {
      return this.#fail(error);
    }
  }

  handle(body: Uint8Array, respond: (response: HttpResponse) => void): void {
    this.#bodyBytes = body.length;
    this.#beginSpan();
    if (performance.now() - this.#checkedAt <= SLOW_BODY_MS) this.#takeTurn(body, respond);
    else this.#checkAgain(body, respond);
  }

  #checkAgain(body: Uint8Array, respond: (response: HttpResponse) => void): void {
    const goOn = (found: Caller | NoCaller) => {
      if (found instanceof NoCaller) respond(this.#refuseUnknown(found));
      else this.#takeTurn(body, respond);
    };
    const fail = (error: unknown) => respond(this.#fail(error));
    try {
      const token = this.#callers.tokenOf(this.request);
      const found = typeof token === "string" ? this.#callers.find(this.request, token) : token;
      if (found instanceof Promise) this.#hold(body, found, respond)?.then(goOn, fail);
      else goOn(found);
    } catch (error) {
      fail(error);
    }
  }

  /** While the caller is looked up, the body counts among those that wait; if there is no room, it is refused. */
  #hold<T>(body: Uint8Array, found: Promise<T>, respond: (response: HttpResponse) => void) {
    const release = this.#turns.hold(this.sender, body.length);
    if (release !== undefined) return found.finally(release);
    found.catch(() => {});
    respond(this.#refuseBody());
    return undefined;
  }

  #takeTurn(body: Uint8Array, respond: (response: HttpResponse) => void): void {
    const isHeavy = this.#endpoint?.isHeavy === true;
    const work = () => {
      const answered = this.#answer(body, respond);
      return isHeavy ? answered : undefined;
    };
    if (!this.#turns.take(this.sender, body.length, work, isHeavy)) respond(this.#refuseBody());
  }

  #refuseBody(): HttpResponse {
    const message = "too many large bodies of your requests wait; nothing was accepted";
    return this.refuse(new ApiError("unavailable", message, { reason: "too_many_bodies" }, 1));
  }

  refuse(refusal: ApiError): HttpResponse {
    return this.end(this.#withRate(errorResponse(refusal, this.request.traceId)), refusal.code);
  }

  /** Reports the answer, and ends the span. */
  end(response: HttpResponse, code: ErrorCode | "ok"): HttpResponse {
    const { traceId, startedAt } = this.request;
    this.#beginSpan();
    if (this.#span !== undefined) endRequestSpan(this.#span, response.status, code);
    this.#options.observe({
      traceId,
      route: this.#endpoint?.route ?? this.#page?.label ?? "unknown",
      status: response.status,
      code,
      durationMs: performance.now() - startedAt,
      bodyBytes: this.#bodyBytes,
      caller: this.#caller,
      authenticationFault: this.#fault,
    });
    return response;
  }

  #letIn(endpoint: Endpoint<Caller>, found: Caller | NoCaller): Admission {
    if (found instanceof NoCaller) return this.#refuseUnknown(found);
    const { limitRate, senderOf } = this.#options;
    this.#caller = found;
    this.#checkedAt = performance.now();
    this.#rate = limitRate?.(found);
    const { declaredLength = 0 } = this.request;
    const refusal =
      this.#rate?.refusal ?? endpoint.refuseCaller(found) ?? endpoint.refuseUnparsed?.(found, declaredLength);
    if (refusal !== undefined) return this.refuse(refusal);
    this.sender = senderOf(found);
    return this;
  }

  /**
   * None of its closures may hold the body: an answer may take seconds, and meanwhile the bytes count in no
   * budget. Otherwise a caller could fill the memory with large bodies of one event each.
   */
  #answer(body: Uint8Array, respond: (response: HttpResponse) => void): Promise<void> {
    return this.#run(body).then(
      (response) => {
        respond(this.#withRate(response));
        this.end(response, "ok");
      },
      (error: unknown) => respond(this.#fail(error, !this.isRead)),
    );
  }

  async #run(bytes: Uint8Array): Promise<HttpResponse> {
    const { request } = this;
    const endpoint = this.#endpoint as Endpoint<Caller>;
    const refusal = endpoint.refuseUnparsed?.(this.#caller as Caller, bytes.length);
    if (refusal !== undefined) throw refusal;
    return endpoint.run({
      body: readBody(endpoint.validate, bytes),
      caller: this.#caller as Caller,
      traceId: request.traceId,
      traceparent: this.#span?.traceparent,
      header: (name) => request.header(name),
      limit: (verdict) => {
        this.#rate = verdict;
        if (verdict.refusal !== undefined) throw verdict.refusal;
      },
    });
  }

  #refuseUnknown({ refusal, fault }: NoCaller): HttpResponse {
    this.#fault = fault;
    return this.refuse(refusal);
  }

  #fail(error: unknown, mayHaveChanged = false): HttpResponse {
    const { explainFault, onFault } = this.#options;
    const refusal = error instanceof ApiError ? error : explainFault(error, mayHaveChanged);
    if (refusal !== undefined) return this.refuse(refusal);
    onFault(error, this.request.traceId);
    return this.refuse(new ApiError("internal_error", "the service failed; it has been logged"));
  }

  /** Not before the body has come: without it the request has no span, unless its head is refused. */
  #beginSpan(): void {
    const { tracing } = this.#options;
    if (tracing === undefined || this.#span !== undefined) return;
    const isKnown = this.#endpoint !== undefined || this.#page !== undefined;
    this.#span = beginRequestSpan(tracing, this.request, isKnown ? this.request.path : undefined);
  }

  #withRate(response: HttpResponse): HttpResponse {
    if (this.#rate === undefined) return response;
    return { ...response, headers: { ...response.headers, ...this.#rate.headers } };
  }
}

/** A caller may send any text as a method: methods that are not here are `_OTHER`, as OpenTelemetry's conventions demand. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * The span of a request, by OpenTelemetry's conventions for HTTP servers. Its attributes hold nothing that a
 * caller can make up: no path outside the table, no header, no body. Trace and parent come from `traceparent`.
 * @param route the whole path, if the table has it; undefined otherwise
 */
function beginRequestSpan(
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
function endRequestSpan(span: Span, status: number, code: ErrorCode | "ok"): void {
  const attributes = { "http.response.status_code": status };
  if (code === "ok") span.end(attributes);
  else if (status < 500) span.end({ ...attributes, "stampede.error.code": code });
  else span.end(attributes, code);
}
