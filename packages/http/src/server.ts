/**
 * The server interface that both adapters (uWebSockets.js and node:http) implement, and the interface that an
 * API implements for them. There is no routing here: an `Api` sees every request, of any method and
 * path.
 */

import { STATUS_CODES } from "node:http";
import type { TrustedProxies } from "#domain";

/** The head of one request, copied out of the server before its callback returns. */
export interface HttpRequest {
  /** Upper case, as sent. */
  readonly method: string;
  /** From the first `/` up to the `?`, still percent-encoded. */
  readonly path: string;
  /** 32 lower-case hex characters: the caller's `traceparent` trace-id, else a new one. */
  readonly traceId: string;
  /** The `traceparent` that the trace id is from, if there is a valid one. */
  readonly traceparent: string | undefined;
  /** Bytes of the body according to the head; undefined if it is chunked. */
  readonly declaredLength: number | undefined;
  /** `performance.now()`, milliseconds, at the end of the header block. */
  readonly startedAt: number;
  /**
   * The value of a header named in `HttpServerOptions.wantedHeaders` (lower case), undefined if it is absent;
   * repeated fields are joined with `", "`. Expect ASCII only: uWebSockets.js cuts other bytes off the ends.
   * Throws for a name that is not in `wantedHeaders`, because it was never copied.
   */
  header(name: string): string | undefined;
  /** Whether a wanted header came in more than one field. Throws as `header` does. */
  isRepeated(name: string): boolean;
  /**
   * The connection's remote address, in the operating system's form; empty if it is not known. Call it only
   * before the answer.
   */
  remoteAddress(): string;
}

export interface HttpResponse {
  readonly status: number;
  /**
   * Names in lower case. `content-type` defaults to `application/json`. The server itself writes
   * `x-trace-id`, `content-length`, `date` and `connection`: do not give them. Values must not hold CR or LF.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The content type of an answer without one. */
export const JSON_TYPE = "application/json";
/** A 304 has no body; headers about a body would describe one that is not sent. */
export const NOT_MODIFIED = 304;

const lines = new Map<number, string>();

/** `404` → `"404 Not Found"`. */
export function statusLine(status: number): string {
  let line = lines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
    lines.set(status, line);
  }
  return line;
}

/** A request that the API admits: its body may come. */
export interface AdmittedRequest {
  /**
   * The sender of the body, such as an organisation's id: each sender has a share of the memory for arriving
   * bodies.
   */
  readonly sender: string;
  /** The request changes nothing, so that a refusal may replace a long answer. */
  readonly isRead?: boolean;
  /**
   * Called once with the whole body (empty if there is none), in its own memory: it may be kept or
   * transferred. Answers through `respond`, now or later; only the first call counts, and a call after the
   * client is gone does nothing. An exception thrown here becomes a 500.
   */
  handle(body: Uint8Array, respond: (response: HttpResponse) => void): void;
}

/**
 * The API's decision about the head of a request: an answer, and the body is discarded, or an admission of
 * the body.
 */
export type Admission = HttpResponse | AdmittedRequest;

export interface Api {
  /**
   * Called synchronously when the header block is complete, before any of the body is read. None of it is
   * read until a promise is settled. An exception, or a promise that rejects, becomes a 500.
   */
  admit(request: HttpRequest): Admission | Promise<Admission>;
}

/** Whether the API admits the body. */
export function isAdmitted(admission: Admission): admission is AdmittedRequest {
  return "handle" in admission;
}

export type AdapterName = "uws" | "node";

/** Bounds of one server; the defaults are those of `LIMITS` in the contract. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headerBlockBytes: number;
  readonly bufferedBodyBytes: number;
  readonly requestReceiveMs: number;
  readonly keepAliveIdleMs: number;
  readonly drainQuietMs: number;
  /** Requests that wait on one connection; this and all below only with node:http. */
  readonly pipelinedRequests: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly connectionsRefused: number;
  readonly connectionStillMs: number;
  readonly unreadAnswerBytes: number;
}

export interface HttpServerOptions {
  readonly api: Api;
  /** Lower-case names of the request headers that `api` reads; all others are not copied. */
  readonly wantedHeaders: readonly string[];
  /** Gets the API's exceptions; the client gets a 500 that reveals nothing about them. Must not throw. */
  readonly onFault: (error: unknown, traceId: string) => void;
  readonly limits?: Partial<HttpLimits>;
  /**
   * Addresses whose connections count only in the total, not by address. Empty: all addresses that are not
   * public.
   */
  readonly proxies?: TrustedProxies;
}

/** Refusals of the server itself: malformed HTTP, a body that is too large, a lack of room. */
export type RefusedByServer = "bad_request" | "payload_too_large" | "unavailable";

export interface HttpServerStats {
  /** Open connections; uWebSockets.js cannot tell, and gives those with a request under way. */
  readonly open: number;
  /** Requests whose header block is complete and whose answer is not yet given. */
  readonly inFlight: number;
  /** Bytes of bodies that have not arrived completely. */
  readonly bufferedBytes: number;
  /** Clients, since the start, that went away (or were cut off for stalling) before their answer. */
  readonly aborted: number;
  /** Requests, since the start, that the server answered without the API. */
  readonly refused: Readonly<Record<RefusedByServer, number>>;
}

export interface HttpServer {
  readonly adapter: AdapterName;
  /** Listens (with port 0, on a free port) and resolves to the real port; rejects if it cannot. */
  start(address: { readonly host: string; readonly port: number }): Promise<number>;
  /**
   * Begins the drain: new connections are refused, and each open keep-alive connection gets one more answer,
   * with `connection: close`. Idempotent.
   */
  stopAccepting(): void;
  /**
   * Drains: every open connection may get one more answer. When no answer is owed and no request has come for
   * `drainQuietMs`, or after `graceMs` at the latest, the remaining connections are closed. Closing idle
   * connections immediately would cut those on which a request is on its way: in HTTP/1.1 only an answer can
   * tell the caller.
   */
  close(graceMs: number): Promise<void>;
  stats(): HttpServerStats;
}

/** A server could not be made or started. */
export class HttpServerError extends Error {
  readonly code: "uws_unavailable" | "listen_failed";

  constructor(code: HttpServerError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HttpServerError";
    this.code = code;
  }
}
