import { ApiError, type ErrorCode } from "#contract";
import type { Span, Tracing } from "#runtime";
import { errorResponse } from "./envelope.ts";
import { answerPage, PAGE_HEADERS, type Page } from "./page.ts";
import { type BodyRules, readBody } from "./read-body.ts";
import { beginRequestSpan, endRequestSpan } from "./request-span.ts";
import type { Api, HttpRequest, HttpResponse } from "./server.ts";

/** A validated request of an authenticated caller. The service decides what a caller is. */
export interface Call<Caller, Body = unknown> {
  readonly body: Body;
  readonly caller: Caller;
  readonly traceId: string;
  /** Continues the request's trace in another process; undefined where it is not traced. */
  readonly traceparent: string | undefined;
  header(name: string): string | undefined;
}

/** One operation. `run` throws an `ApiError` to refuse. */
export interface Endpoint<Caller> extends BodyRules {
  readonly route: string;
  /** Refuses, before the body is read, while there is no room for another request. */
  refuseAtDoor?(): ApiError | undefined;
  /** Refuses a caller that may not use this endpoint, whatever the body. */
  refuseCaller(caller: Caller): ApiError | undefined;
  run(call: Call<Caller>): HttpResponse | Promise<HttpResponse>;
}

/** What a caller's rate limit says to one more request. */
export interface RateVerdict {
  /** Part of the answer, whatever it is; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApiError | undefined;
}

/** Why a token has no caller: it never existed, was revoked, or has expired. */
export type TokenFault = "unknown" | "revoked" | "expired";

/** Why a request is answered `authentication_error`: for the operator, the caller is not told which. */
export type AuthenticationFault = "missing" | "malformed" | TokenFault;

/** What the service learns of every request, once it is answered. */
export interface RequestRecord<Caller> {
  readonly traceId: string;
  /** A route of the table, the label of a page, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly code: ErrorCode | "ok";
  readonly durationMs: number;
  readonly bodyBytes: number;
  readonly caller: Caller | undefined;
  /** Present exactly if the code is `authentication_error`. */
  readonly authenticationFault: AuthenticationFault | undefined;
}

/** One request with a token that may be wrong. */
export interface TokenAttempt {
  /** Present if too many tokens from the same address were wrong. */
  readonly refusal: ApiError | undefined;
  /** To be called if this token is wrong too. */
  failed(): void;
}

/** Slows down callers that send wrong tokens. */
export interface FailureLimit {
  /** Undefined if the token is known, or if nobody can tell where the request comes from. */
  begin(request: HttpRequest, token: string): TokenAttempt | undefined;
}

export interface ApiOptions<Caller extends object> {
  /** Such as `/publisher.v1/`. */
  readonly prefix: string;
  readonly endpoints: ReadonlyArray<Endpoint<Caller>>;
  /** What GET and HEAD give, to anyone, by path. Everything else answers POST only. */
  readonly pages?: ReadonlyMap<string, Page>;
  /** The caller behind a bearer token, or why there is none. `looksRight` refuses without a look-up. */
  readonly authenticate: (token: string) => Caller | TokenFault | Promise<Caller | TokenFault>;
  readonly looksRight: (token: string) => boolean;
  /** Absent: wrong tokens are not slowed down. */
  readonly failures?: FailureLimit | undefined;
  /** Counts a request of this caller, after authentication, before its body is read. Absent: no limit. */
  readonly limitRate?: ((caller: Caller) => RateVerdict) | undefined;
  readonly observe: (record: RequestRecord<Caller>) => void;
  /** Absent: no request is traced. */
  readonly tracing?: Tracing | undefined;
  /** Turns a fault into a refusal (a lost database into `unavailable`); undefined leaves it a 500. */
  readonly explainFault: (error: unknown) => ApiError | undefined;
  readonly onFault: (error: unknown, traceId: string) => void;
}

/** The request headers that an API built here reads. */
export const API_HEADERS = [
  "authorization",
  "content-type",
  "prefer",
  "idempotency-key",
  ...PAGE_HEADERS,
] as const;

const UNAUTHENTICATED = "the token is missing, malformed, unknown, revoked or expired";
const BEARER = /^Bearer +([!-~]+)$/i;
const JSON_TYPE = /^application\/json *(?:;|$)/i;

/** A request, and what has become known of it. */
interface Exchange<Caller> {
  readonly request: HttpRequest;
  readonly bodyBytes: number;
  readonly span: Span | undefined;
  caller: Caller | undefined;
  fault: AuthenticationFault | undefined;
  rate: RateVerdict | undefined;
}

/** The router: one table of endpoints, the same order of checks for each of them. */
export class EndpointApi<Caller extends object> implements Api {
  readonly #options: ApiOptions<Caller>;
  readonly #endpoints: ReadonlyMap<string, Endpoint<Caller>>;

  constructor(options: ApiOptions<Caller>) {
    this.#options = options;
    const { prefix, endpoints } = options;
    this.#endpoints = new Map(endpoints.map((endpoint) => [prefix + endpoint.route, endpoint]));
  }

  admit(request: HttpRequest): HttpResponse | undefined {
    const page = this.#options.pages?.get(request.path);
    if (page !== undefined) return this.#answerPage(page, request);
    const refusal = refuseHead(request, this.#endpoints, this.#options);
    if (refusal === undefined) return undefined;
    const response = errorResponse(refusal, request.traceId);
    const exchange = this.#begin(request, 0);
    if (refusal.code === "authentication_error") exchange.fault = headFault(request);
    this.#end(exchange, response, refusal.code);
    return response;
  }

  handle(request: HttpRequest, body: Uint8Array, respond: (response: HttpResponse) => void): void {
    const exchange = this.#begin(request, body.length);
    const answer = (response: HttpResponse, code: ErrorCode | "ok") => {
      respond(withRate(response, exchange.rate));
      this.#end(exchange, response, code);
    };
    this.#run(exchange, body).then(
      (response) => answer(response, "ok"),
      (error: unknown) => {
        const refusal = this.#refusalOf(error, request.traceId);
        answer(errorResponse(refusal, request.traceId), refusal.code);
      },
    );
  }

  #answerPage(page: Page, request: HttpRequest): HttpResponse {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const response = isRead ? answerPage(page, request) : refuseWrite(request);
    this.#end(this.#begin(request, 0), response, isRead ? "ok" : "method_not_allowed");
    return response;
  }

  async #run(exchange: Exchange<Caller>, body: Uint8Array): Promise<HttpResponse> {
    const { request, span } = exchange;
    const endpoint = this.#endpoints.get(request.path) as Endpoint<Caller>;
    const caller = await this.#authenticate(exchange);
    exchange.caller = caller;
    exchange.rate = this.#options.limitRate?.(caller);
    if (exchange.rate?.refusal !== undefined) throw exchange.rate.refusal;
    const refusal = endpoint.refuseCaller(caller);
    if (refusal !== undefined) throw refusal;
    return endpoint.run({
      body: readBody(endpoint, body),
      caller,
      traceId: request.traceId,
      traceparent: span?.traceparent,
      header: (name) => request.header(name),
    });
  }

  async #authenticate(exchange: Exchange<Caller>): Promise<Caller> {
    const token = bearer(exchange.request) as string;
    // Checked again: other attempts from the same address may have failed since this request's head came.
    const attempt = this.#options.failures?.begin(exchange.request, token);
    if (attempt?.refusal !== undefined) throw attempt.refusal;
    const found = await this.#options.authenticate(token);
    if (typeof found !== "string") return found;
    exchange.fault = found;
    attempt?.failed();
    throw new ApiError("authentication_error", UNAUTHENTICATED);
  }

  #refusalOf(error: unknown, traceId: string): ApiError {
    const { explainFault, onFault } = this.#options;
    const refusal = error instanceof ApiError ? error : explainFault(error);
    if (refusal !== undefined) return refusal;
    onFault(error, traceId);
    return new ApiError("internal_error", "the service failed; it has been logged");
  }

  #begin(request: HttpRequest, bodyBytes: number): Exchange<Caller> {
    const span = this.#beginSpan(request);
    return { request, bodyBytes, span, caller: undefined, fault: undefined, rate: undefined };
  }

  #beginSpan(request: HttpRequest): Span | undefined {
    const { tracing, pages } = this.#options;
    if (tracing === undefined) return undefined;
    const isKnown = this.#endpoints.has(request.path) || pages?.has(request.path);
    return beginRequestSpan(tracing, request, isKnown ? request.path : undefined);
  }

  #end(
    { request, bodyBytes, span, caller, fault }: Exchange<Caller>,
    { status }: HttpResponse,
    code: ErrorCode | "ok",
  ): void {
    if (span !== undefined) endRequestSpan(span, status, code);
    this.#options.observe({
      traceId: request.traceId,
      route:
        this.#endpoints.get(request.path)?.route ??
        this.#options.pages?.get(request.path)?.label ??
        "unknown",
      status,
      code,
      durationMs: performance.now() - request.startedAt,
      bodyBytes,
      caller,
      authenticationFault: fault,
    });
  }
}

function withRate(response: HttpResponse, rate: RateVerdict | undefined): HttpResponse {
  if (rate === undefined) return response;
  return { ...response, headers: { ...response.headers, ...rate.headers } };
}

/** What can be refused before the body: path, method, form of the token, content type, lack of room. */
function refuseHead(
  request: HttpRequest,
  endpoints: ReadonlyMap<string, Pick<Endpoint<never>, "refuseAtDoor">>,
  { looksRight, failures }: Pick<ApiOptions<never>, "looksRight" | "failures">,
): ApiError | undefined {
  const endpoint = endpoints.get(request.path);
  if (endpoint === undefined) {
    return new ApiError("not_found", "no such path", { resource: "path" });
  }
  if (request.method !== "POST") return new ApiError("method_not_allowed", "only POST is answered here");
  const token = bearer(request);
  const attempt = token === undefined ? undefined : failures?.begin(request, token);
  if (attempt?.refusal !== undefined) return attempt.refusal;
  if (token === undefined || !looksRight(token)) {
    attempt?.failed();
    return new ApiError("authentication_error", UNAUTHENTICATED);
  }
  if (!JSON_TYPE.test(request.header("content-type") ?? "")) {
    return new ApiError("unsupported_media_type", "send content-type: application/json");
  }
  return endpoint.refuseAtDoor?.();
}

function refuseWrite({ traceId }: HttpRequest): HttpResponse {
  const refusal = new ApiError("method_not_allowed", "only GET and HEAD are answered here");
  return { ...errorResponse(refusal, traceId), headers: { allow: "GET, HEAD" } };
}

/** Why a token without the right form was refused. */
function headFault(request: HttpRequest): "missing" | "malformed" {
  return (request.header("authorization") ?? "") === "" ? "missing" : "malformed";
}

function bearer(request: HttpRequest): string | undefined {
  return BEARER.exec(request.header("authorization") ?? "")?.[1];
}
