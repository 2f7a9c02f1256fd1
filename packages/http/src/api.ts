import { ApiError, type ErrorCode, type Issue } from "#contract";
import { findIssues, type RequestIssues, type SchemaViolation } from "#contract/validation";
import type { Span, Tracing } from "#runtime";
import { errorResponse } from "./envelope.ts";
import { answerPage, PAGE_HEADERS, type Page } from "./page.ts";
import { findRepeatedKey } from "./repeated-key.ts";
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
export interface Endpoint<Caller> {
  readonly route: string;
  readonly validate: { (body: unknown): boolean; errors?: readonly SchemaViolation[] | null };
  /** The list in its body for which a 400 names every malformed entry, not only the first. */
  readonly entries?: string | undefined;
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

/**
 * Why a request is answered `authentication_error`. For the operator: the caller is told the same in every
 * case.
 */
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
  /**
   * The caller behind a bearer token, or why there is none. `looksRight` can refuse a token without a
   * look-up.
   */
  readonly authenticate: (token: string) => Caller | TokenFault | Promise<Caller | TokenFault>;
  readonly looksRight: (token: string) => boolean;
  /** Absent: wrong tokens are not slowed down. */
  readonly failures?: FailureLimit | undefined;
  /**
   * Counts a request of this caller, after authentication and before its body is looked at. Absent: no limit.
   */
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
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The router: one table of endpoints, the same order of checks for each of them. */
export function createApi<Caller extends object>(options: ApiOptions<Caller>): Api {
  const endpoints = new Map(options.endpoints.map((endpoint) => [options.prefix + endpoint.route, endpoint]));
  const beginSpan = (request: HttpRequest) => {
    if (options.tracing === undefined) return undefined;
    const isKnown = endpoints.has(request.path) || options.pages?.has(request.path);
    return beginRequestSpan(options.tracing, request, isKnown ? request.path : undefined);
  };
  const finish = (
    request: HttpRequest,
    span: Span | undefined,
    respond: (response: HttpResponse) => void,
    bodyBytes: number,
  ) => {
    return (
      response: HttpResponse,
      code: ErrorCode | "ok",
      { caller, fault }: { caller?: Caller | undefined; fault?: AuthenticationFault | undefined } = {},
    ) => {
      respond(response);
      if (span !== undefined) endRequestSpan(span, response.status, code);
      options.observe({
        traceId: request.traceId,
        route: endpoints.get(request.path)?.route ?? options.pages?.get(request.path)?.label ?? "unknown",
        status: response.status,
        code,
        durationMs: performance.now() - request.startedAt,
        bodyBytes,
        caller,
        authenticationFault: fault,
      });
    };
  };
  return {
    admit(request) {
      const page = options.pages?.get(request.path);
      if (page !== undefined) {
        const isRead = request.method === "GET" || request.method === "HEAD";
        const response = isRead ? answerPage(page, request) : refuseWrite(request);
        finish(request, beginSpan(request), () => {}, 0)(response, isRead ? "ok" : "method_not_allowed");
        return response;
      }
      const refusal = refuseHead(request, endpoints, options);
      if (refusal === undefined) return undefined;
      const response = errorResponse(refusal, request.traceId);
      const isUnauthenticated = refusal.code === "authentication_error";
      finish(
        request,
        beginSpan(request),
        () => {},
        0,
      )(response, refusal.code, {
        fault: isUnauthenticated ? headFault(request) : undefined,
      });
      return response;
    },
    handle(request, body, respond) {
      const span = beginSpan(request);
      const answer = finish(request, span, respond, body.length);
      const endpoint = endpoints.get(request.path) as Endpoint<Caller>;
      let caller: Caller | undefined;
      let fault: TokenFault | undefined;
      let rate: RateVerdict | undefined;
      const run = async () => {
        const token = bearer(request) as string;
        // Checked again: other attempts from the same address may have failed since this request's head came.
        const attempt = options.failures?.begin(request, token);
        if (attempt?.refusal !== undefined) throw attempt.refusal;
        const found = await options.authenticate(token);
        if (typeof found === "string") {
          fault = found;
          attempt?.failed();
          throw new ApiError("authentication_error", UNAUTHENTICATED);
        }
        caller = found;
        rate = options.limitRate?.(caller);
        if (rate?.refusal !== undefined) throw rate.refusal;
        const refusal = endpoint.refuseCaller(caller);
        if (refusal !== undefined) throw refusal;
        return endpoint.run({
          body: readBody(endpoint, body),
          caller,
          traceId: request.traceId,
          traceparent: span?.traceparent,
          header: (name) => request.header(name),
        });
      };
      run().then(
        (response) => answer(withRate(response, rate), "ok", { caller }),
        (error: unknown) => {
          const refusal = error instanceof ApiError ? error : options.explainFault(error);
          if (refusal === undefined) options.onFault(error, request.traceId);
          const told = refusal ?? new ApiError("internal_error", "the service failed; it has been logged");
          answer(withRate(errorResponse(told, request.traceId), rate), told.code, { caller, fault });
        },
      );
    },
  };
}

function withRate(response: HttpResponse, rate: RateVerdict | undefined): HttpResponse {
  if (rate === undefined) return response;
  return { ...response, headers: { ...response.headers, ...rate.headers } };
}

/**
 * Everything that can be refused before the body arrives: path, method, form of the token, content type, lack
 * of room.
 */
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

function readBody(
  { validate, entries }: Pick<Endpoint<never>, "validate" | "entries">,
  bytes: Uint8Array,
): unknown {
  const body = parseBody(bytes);
  if (!validate(body)) throw malformed(findIssues(validate, body, entries));
  const repeated = findRepeatedKey(bytes, body);
  if (repeated !== undefined) {
    throw badRequest(`${repeated} is given twice`, { path: repeated, message: "is given twice" });
  }
  return body;
}

function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw badRequest("the body is not UTF-8", { path: "", message: "is not UTF-8" });
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the input, which may be card data.
    throw badRequest("the body is not JSON", { path: "", message: "is not JSON" });
  }
}

function malformed({ issues, total }: RequestIssues): ApiError {
  const [{ path, message }] = issues;
  const first = `${path === "" ? "the body" : path} ${message}`;
  const told = total === 1 ? first : `${first}, and ${total - 1} more`;
  const data = total > issues.length ? { issues, issues_total: total } : { issues };
  return new ApiError("bad_request", told, data);
}

/** A `bad_request` with the place of the fault in the body. */
export function badRequest(message: string, issue: Issue): ApiError {
  return new ApiError("bad_request", message, { issues: [issue] });
}
