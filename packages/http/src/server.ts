/**
 * The server interface that both adapters (uWebSockets.js and node:http) implement, and the one that an API
 * implements towards them. No routing here: an `Api` sees every request, whatever its method and path.
 */

/** The head of one request, copied out of the server before its callback returns. */
export interface HttpRequest {
  /** Upper case, as sent. */
  readonly method: string;
  /** From the first `/` up to the `?`, still percent-encoded. */
  readonly path: string;
  /** What follows the `?`, still encoded; empty when there is none. */
  readonly query: string;
  /** 32 lower-case hex characters: the caller's `traceparent` trace-id, else a new one. */
  readonly traceId: string;
  /** The `traceparent` that it is from, where there is a valid one. */
  readonly traceparent: string | undefined;
  /** `performance.now()`, milliseconds, at the end of the header block. */
  readonly startedAt: number;
  /**
   * The value of a header named in `HttpServerOptions.wantedHeaders` (lower case), undefined when absent;
   * repeated fields are joined with `", "`. Expect ASCII only: uWebSockets.js cuts other bytes off the ends.
   * Throws for a name that was not asked for: it was never copied.
   */
  header(name: string): string | undefined;
  /** The address that the connection is from, as the system writes it; empty when it is not known. Only until an answer. */
  remoteAddress(): string;
  /** True once the client is gone without its answer. */
  aborted(): boolean;
  /** Calls `listener` once when the client goes away before its answer; at once if it is gone already. */
  onAborted(listener: () => void): void;
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

export interface Api {
  /**
   * Called synchronously when the header block is complete, before any of the body is read. An answer ends
   * the request for free: its body is discarded unread. `undefined` lets the body come.
   */
  admit(request: HttpRequest): HttpResponse | undefined;
  /**
   * Called once with the whole body (empty when there is none), in memory of its own that nobody reuses: it
   * may be kept or transferred. Answers through `respond`, now or later; only the first call counts, and a
   * call after the client is gone does nothing. An exception thrown here becomes a 500.
   */
  handle(request: HttpRequest, body: Uint8Array, respond: (response: HttpResponse) => void): void;
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
}

export interface HttpServerOptions {
  readonly api: Api;
  /** Lower-case names of the request headers that `api` reads; all others are not copied. */
  readonly wantedHeaders: readonly string[];
  /**
   * A fault of ours: what `admit` or `handle` threw. The client gets a 500 without a word of it. Must not
   * throw.
   */
  readonly onFault: (error: unknown, traceId: string) => void;
  readonly limits?: Partial<HttpLimits>;
}

/** What the server refuses by itself: malformed HTTP, a body that is too large, no room for one more body. */
export type RefusedByServer = "bad_request" | "payload_too_large" | "unavailable";

export interface HttpServerStats {
  /** Open connections. uWebSockets.js does not tell: there it is the connections with a request under way. */
  readonly open: number;
  /** Requests whose header block is complete and whose answer is not yet given. */
  readonly inFlight: number;
  /** Bytes of bodies that have not arrived whole. */
  readonly bufferedBytes: number;
  /** Clients, since the start, that went away (or were cut off for stalling) before their answer. */
  readonly aborted: number;
  /** Requests, since the start, that the server answered without the API. */
  readonly refused: Readonly<Record<RefusedByServer, number>>;
}

export interface HttpServer {
  readonly adapter: AdapterName;
  /**
   * Listens, on a free port for port 0, and resolves to the real port; rejects when the port is not to be
   * had.
   */
  start(address: { readonly host: string; readonly port: number }): Promise<number>;
  /**
   * Begins the drain: new connections are refused; an open keep-alive connection is answered once more, with
   * `connection: close`. Idempotent.
   */
  stopAccepting(): void;
  /**
   * Drains: every connection that is open may have one more answer. Once none is owed, and none was asked for within
   * `drainQuietMs`, or after `graceMs` at the latest, whatever is still open is closed. Closing idle connections at once
   * would cut those on which a request is on its way: HTTP/1.1 has no other way to tell a caller than an answer.
   */
  close(graceMs: number): Promise<void>;
  stats(): HttpServerStats;
}

/** Why a server could not be made or started. */
export class HttpServerError extends Error {
  readonly code: "uws_unavailable" | "listen_failed";

  constructor(code: HttpServerError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "HttpServerError";
    this.code = code;
  }
}
