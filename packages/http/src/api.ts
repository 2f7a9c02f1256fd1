import type { ApiError, ErrorCode } from "#contract";
import type { Validate } from "#contract/validation";
import type { Tracing } from "#runtime";
import { PAGE_HEADERS, type Page } from "./page.ts";
import type { HttpRequest, HttpResponse } from "./server.ts";

/** A validated request of an authenticated caller. The service decides the type of its callers. */
export interface Call<Caller, Body = unknown> {
  readonly body: Body;
  readonly caller: Caller;
  readonly traceId: string;
  /** Continues the request's trace in another process; undefined: it is not traced. */
  readonly traceparent: string | undefined;
  header(name: string): string | undefined;
  /**
   * Makes the answer report another rate limit than that of requests.
   * @throws ApiError if that limit is exceeded
   */
  limit(verdict: RateVerdict): void;
}

/** One operation. `run` throws an `ApiError` to refuse. */
export interface Endpoint<Caller> {
  readonly route: string;
  readonly validate: Validate;
  /** Refuses, before the body is read, while there is no room for another request. */
  refuseAtDoor?(): ApiError | undefined;
  /** Refuses a caller that may not use this endpoint, before the body is read. */
  refuseCaller(caller: Caller): ApiError | undefined;
  /**
   * Refuses a body of this size while there is no room for its content: first by its head, and again once it
   * has come, before it is parsed.
   */
  refuseUnparsed?(caller: Caller, bodyBytes: number): ApiError | undefined;
  /**
   * A large request of it keeps the database busy: while others send, the requests of one sender are handled
   * one after the other.
   */
  readonly isHeavy?: boolean;
  /** It changes nothing: see `AdmittedRequest`. */
  readonly isRead?: boolean;
  run(call: Call<Caller>): HttpResponse | Promise<HttpResponse>;
}

/** The rate limit's verdict on one more request of a caller. */
export interface RateVerdict {
  /** For every answer; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ApiError | undefined;
}

/** Why a token has no caller: it never existed, was revoked, or has expired. */
export type TokenFault = "unknown" | "revoked" | "expired";

/** The reason of an `authentication_error`: for the operator, not for the caller. */
export type AuthenticationFault = "missing" | "malformed" | TokenFault;

/** The record of a request for the service, once it is answered. */
export interface RequestRecord<Caller> {
  readonly traceId: string;
  /** A route of the table, the label of a page, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly code: ErrorCode | "ok";
  readonly durationMs: number;
  readonly bodyBytes: number;
  readonly caller: Caller | undefined;
  /** Present exactly with the code `authentication_error`. */
  readonly authenticationFault: AuthenticationFault | undefined;
}

/** The look-up of a token that may be wrong. */
export interface TokenAttempt {
  /** Present if the token must not be looked up. Then `end` need not be called. */
  readonly refusal?: ApiError;
  /** Settles when it may be looked up; absent: immediately. */
  readonly turn?: Promise<void>;
  /**
   * Call it once, with the result of the look-up: "unknown" if there was no answer.
   * @returns the answer to a wrong token, instead of `authentication_error`
   */
  end(outcome: "right" | "wrong" | "unknown"): ApiError | undefined;
}

/** Slows down callers that send wrong tokens. */
export interface FailureLimit {
  /**
   * Undefined if the token was valid recently: it is never slowed down, even if its address sends wrong ones.
   */
  begin(request: HttpRequest, token: string): TokenAttempt | undefined;
  /** This token was valid once, and is no longer. */
  forget(token: string): void;
}

export interface ApiOptions<Caller extends object> {
  /** Such as `/publisher.v1/`. */
  readonly prefix: string;
  readonly endpoints: ReadonlyArray<Endpoint<Caller>>;
  /** The answers to GET and HEAD, for anyone, by path. Everything else answers POST only. */
  readonly pages?: ReadonlyMap<string, Page>;
  /** The caller behind a bearer token, or why there is none. `looksRight` refuses without a look-up. */
  readonly authenticate: (token: string) => Caller | TokenFault | Promise<Caller | TokenFault>;
  readonly looksRight: (token: string) => boolean;
  /** Absent: wrong tokens are not slowed down. */
  readonly failures?: FailureLimit | undefined;
  /** The sender that has one share of the memory for arriving bodies: an organisation, or a retailer. */
  readonly senderOf: (caller: Caller) => string;
  /** Counts a request of this caller, after authentication, before its body is read. Absent: no limit. */
  readonly limitRate?: ((caller: Caller) => RateVerdict) | undefined;
  readonly observe: (record: RequestRecord<Caller>) => void;
  /** Absent: no request is traced. */
  readonly tracing?: Tracing | undefined;
  /**
   * Turns a fault into a refusal (a lost database into `unavailable`); undefined leaves it a 500.
   * @param mayHaveChanged whether an endpoint with effects was running
   */
  readonly explainFault: (error: unknown, mayHaveChanged: boolean) => ApiError | undefined;
  readonly onFault: (error: unknown, traceId: string) => void;
}

/** The request headers that every API of this package reads. */
export const API_HEADERS = [
  "authorization",
  "content-type",
  "prefer",
  "idempotency-key",
  ...PAGE_HEADERS,
] as const;
