import { malformed, tooLarge } from "./refusals.ts";
import { HeadScanner, type RequestHead, requestLineBytes } from "./request-head.ts";
import {
  type HttpResponse,
  type HttpServer,
  HttpServerError,
  type HttpServerOptions,
  type HttpServerStats,
  isAdmitted,
} from "./server.ts";
import { acceptWaiting, type ServerParts, serverParts } from "./traffic.ts";
import { LastAnswer, writeAnswer } from "./uws-answer.ts";
import { AfterParsing, UwsExchange } from "./uws-exchange.ts";
import type { UwsApp, UwsListenSocket, UwsModule, UwsRequest, UwsResponse } from "./uws-module.ts";

/** The fork's parser accepts no more: after our callback it writes its own 400 over any answer. */
const PARSABLE_LENGTH = 999_999_999;
/**
 * uWebSockets keeps everything written during a callback in a buffer of this size until the callback ends.
 */
const CORK_BUFFER_BYTES = 16 * 1024;
const NO_CHUNKS = "send content-length: this server takes no chunked body";
const PADDING = " ".repeat(CORK_BUFFER_BYTES);

/**
 * The server on uWebSockets.js. Its C++ code decides the following before our code runs; node:http answers
 * these with the envelope:
 * - a raw HTML 400 for `content-length` with `transfer-encoding` and for a missing host;
 * - 431 for a header block that comes in parts (over 4096 bytes in the fork);
 * - 505 for HTTP/1.0 and for a broken request line (also for a bare LF in it; in the fork also for one that
 *   comes in parts);
 * - a close without an answer for an unknown method and, after 10 s, for a block in which it finds no end: a
 *   bare LF between fields, a field that is no field (in the fork also: more than 49 fields);
 * - a close without an answer for requests that are pipelined in one piece: see `UwsExchange`, by which none
 *   of
 *   them has an effect.
 *
 * It does not notice the following, and this is why it does no harm:
 * - A field without a name hides the fields behind it, from its own parser too. A hidden length would turn
 *   what a proxy in front took for a body into the next request. No field of a request shows that. So every
 *   request without a visible `content-length` is the last one of its connection, and a POST without any
 *   length is refused. (This leaves open only a proxy that passes on nameless fields together with two
 *   lengths, and trusts the second length.)
 * - A chunk's size may hold `:` to `@` and `g` for digits, and an extension that reads as digits; any two
 *   bytes count as the line end after a chunk, and a bare LF as the one after a size; a trailer is taken
 *   for a request, and cuts the request off that it belongs to. So a chunked request is refused by its head,
 *   as
 *   the last one of its connection; an error of uWebSockets' own may follow our answer.
 * - A caller that goes away, by FIN or RST, while its request is handled: nothing is read of its connection
 *   then. The request
 *   counts as answered, and its answer goes nowhere.
 *
 * It reports no connection before its first request, and not how much of an answer has been read. So neither
 * is counted or shared here as in `node:http`; a client that reads nothing for 10 s is cut off.
 */
export class UwsServer implements HttpServer {
  readonly adapter = "uws";
  readonly #uws: UwsModule;
  readonly #app: UwsApp;
  readonly #scanner: HeadScanner;
  readonly #scanField: (name: string, value: string) => void;
  readonly #shared: ServerParts;
  readonly #afterParsing = new AfterParsing();
  #listenSocket: UwsListenSocket | undefined;

  constructor(uws: UwsModule, options: HttpServerOptions) {
    this.#uws = uws;
    this.#shared = serverParts(options);
    this.#scanner = new HeadScanner(options.wantedHeaders, this.#shared.limits);
    this.#scanField = (name, value) => this.#scanner.field(name, value);
    this.#app = uws.App().any("/*", (res, req) => this.#receive(res, req));
  }

  start({ host, port }: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      // Exclusive: by default two processes would silently share a port.
      this.#app.listen(host, port, this.#uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          reject(new HttpServerError("listen_failed", `cannot listen on ${host}:${port}`));
          return;
        }
        this.#listenSocket = socket;
        resolve((this.#uws.getSocketPort ?? this.#uws.us_socket_local_port)?.(socket) ?? port);
      });
    });
  }

  stopAccepting(): void {
    if (this.#listenSocket === undefined) return;
    (this.#uws.closeSocket ?? this.#uws.us_listen_socket_close)?.(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  async close(graceMs: number): Promise<void> {
    const { traffic, limits } = this.#shared;
    this.#shared.draining = true;
    if (this.#listenSocket !== undefined) await acceptWaiting();
    this.stopAccepting();
    // uWebSockets does not report the number of open connections, so only the quiet decides.
    await traffic.quiet(limits.drainQuietMs, graceMs);
    this.#app.close();
  }

  stats(): HttpServerStats {
    const { traffic, bodies } = this.#shared;
    return traffic.stats(traffic.inFlight, bodies.taken);
  }

  #receive(res: UwsResponse, req: UwsRequest): void {
    const scanner = this.#scanner;
    const { api, limits, draining, traffic } = this.#shared;
    traffic.seen();
    const method = req.getCaseSensitiveMethod();
    const path = req.getUrl();
    const query = req.getQuery() ?? "";
    scanner.begin(requestLineBytes(method, path, query), method);
    req.forEachHeader(this.#scanField);
    const request = scanner.request(method, path);
    request.connectedFrom(() => Buffer.from(res.getRemoteAddressAsText()).toString());
    const fault = scanner.fault();
    if (fault !== undefined) {
      traffic.refuse("bad_request");
      this.#cutOff(res, request, malformed(fault, request.traceId));
      return;
    }
    const declaredLength = scanner.declaredLength();
    if (declaredLength === undefined) {
      traffic.refuse("bad_request");
      this.#leaveBehind(res, request, malformed(NO_CHUNKS, request.traceId));
      return;
    }
    if (declaredLength > PARSABLE_LENGTH) {
      traffic.refuse("payload_too_large");
      this.#cutOff(res, request, tooLarge(limits.bodyBytes, request.traceId));
      return;
    }
    const admission = declaredLength <= limits.bodyBytes ? api.admit(request) : undefined;
    const isLast = method !== "POST" || !scanner.hasLength();
    const isPending = admission === undefined || admission instanceof Promise || isAdmitted(admission);
    // uWebSockets discards the body of a refused request, for which it allows 10 s.
    if (!isPending && !isLast) writeAnswer(res, request, admission, draining);
    else
      new UwsExchange(res, request, this.#shared, { declaredLength, isLast }, this.#afterParsing, admission);
  }

  /**
   * Answers as the last of the connection, and lets the body come, because a reset would discard the answer.
   * The blanks flush it: see `#cutOff`. Bytes after the body are closed, and never handled.
   */
  #leaveBehind(res: UwsResponse, request: RequestHead, refusal: HttpResponse): void {
    const padded = { ...refusal, body: `${refusal.body}${PADDING}` };
    const framing = { declaredLength: undefined, isLast: true };
    new UwsExchange(res, request, this.#shared, framing, this.#afterParsing, padded);
  }

  /**
   * Answers, and closes before the parser takes another byte: requests that are smuggled after a malformed
   * one may lie in the same buffer. uWebSockets stops reading when it closes, but the close would also lose
   * an answer that is still corked, and only an overflow of the cork buffer flushes it; hence the blanks
   * after the body. Tried without success: `end` with its close flag (it closes only when the buffer has been
   * parsed to its end, so the smuggled requests are handled), an answer one turn later (never sent if a
   * request follows), `cork` (does nothing in the request callback). The answer to HEAD has no body to put
   * blanks after, so it may get lost.
   */
  #cutOff(res: UwsResponse, request: RequestHead, refusal: HttpResponse): void {
    if (request.method === "HEAD") new LastAnswer(res, request, refusal, () => {}).close();
    else new LastAnswer(res, request, { ...refusal, body: `${refusal.body}${PADDING}` }, () => {}).cutOff();
  }
}
