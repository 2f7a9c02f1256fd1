import { LIMITS } from "#contract";
import { guarded, malformed, tooLarge } from "./refusals.ts";
import { HeadScanner, type RequestHead, requestLineBytes } from "./request-head.ts";
import {
  type HttpResponse,
  type HttpServer,
  HttpServerError,
  type HttpServerOptions,
  type HttpServerStats,
} from "./server.ts";
import { acceptWaiting, Traffic } from "./traffic.ts";
import { LastAnswer, writeAnswer } from "./uws-answer.ts";
import { UwsExchange, type UwsShared } from "./uws-exchange.ts";
import type { UwsApp, UwsListenSocket, UwsModule, UwsRequest, UwsResponse } from "./uws-module.ts";

/**
 * The fork's parser takes no longer content-length: after our callback it writes a 400 of its own over any
 * answer.
 */
const PARSABLE_LENGTH = 999_999_999;
/** What is written during a callback of uWebSockets waits in a buffer of this size, until the callback's end. */
const CORK_BUFFER_BYTES = 16 * 1024;
const PADDING = " ".repeat(CORK_BUFFER_BYTES);

/**
 * The server on uWebSockets.js. What its C++ decides before we are asked, and node:http answers with the envelope:
 * - a raw HTML 400 for `content-length` with `transfer-encoding`, for a missing host and for a broken chunk size;
 * - 431 for a header block that comes in parts (over 4096 bytes in the fork);
 * - 505 for HTTP/1.0 and for a request line that is broken (a bare LF in it too; in the fork also: comes in parts);
 * - a close without an answer for an unknown method and, after 10 s, for a block in which it finds no end: a bare LF
 *   between fields, a field that is no field (in the fork also: over 49 of them), and for an extension of a chunk;
 * - a request pipelined behind an unanswered one cuts both off.
 *
 * What it does not notice, and what holds all the same:
 * - a field without a name hides those behind it, from its own parser too: a hidden length would make the next request
 *   of what a proxy in front took for a body. No field of a request tells. So every request that shows no
 *   `content-length` is the last one of its connection, and a POST without any length is refused. (What stays open needs
 *   a proxy that passes nameless fields on and two lengths with them, and trusts the second.)
 * - a chunk's size may hold `:` to `@` and `g` for digits, an extension too if it reads as digits; any two bytes count as
 *   the line end behind a chunk, a bare LF as one behind a size; a trailer is taken for a request. So a chunked request
 *   is the last one of its connection too.
 */
export class UwsServer implements HttpServer {
  readonly adapter = "uws";
  readonly #uws: UwsModule;
  readonly #app: UwsApp;
  readonly #scanner: HeadScanner;
  readonly #scanField: (name: string, value: string) => void;
  readonly #shared: UwsShared;
  #listenSocket: UwsListenSocket | undefined;

  constructor(uws: UwsModule, options: HttpServerOptions) {
    const limits = { ...LIMITS, ...options.limits };
    this.#uws = uws;
    this.#shared = { api: guarded(options), limits, traffic: new Traffic(), draining: false };
    this.#scanner = new HeadScanner(options.wantedHeaders, limits);
    this.#scanField = (name, value) => this.#scanner.field(name, value);
    this.#app = uws.App().any("/*", (res, req) => this.#receive(res, req));
  }

  start({ host, port }: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      // Exclusive: by default two processes would share a port in silence.
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
    // How many connections are open is not told, so the quiet has to do.
    await traffic.quiet(limits.drainQuietMs, graceMs);
    this.#app.close();
  }

  stats(): HttpServerStats {
    return this.#shared.traffic.stats(this.#shared.traffic.inFlight);
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
    const request = scanner.request(method, path, query);
    request.connectedFrom(() => Buffer.from(res.getRemoteAddressAsText()).toString());
    const fault = scanner.fault();
    if (fault !== undefined) {
      traffic.refuse("bad_request");
      this.#cutOff(res, request, malformed(fault, request.traceId));
      return;
    }
    const declaredLength = scanner.declaredLength();
    if (declaredLength !== undefined && declaredLength > PARSABLE_LENGTH) {
      traffic.refuse("payload_too_large");
      this.#cutOff(res, request, tooLarge(limits.bodyBytes, request.traceId));
      return;
    }
    const fits = declaredLength === undefined || declaredLength <= limits.bodyBytes;
    const answered = fits ? api.admit(request) : undefined;
    const isLast = method !== "POST" || !scanner.hasLength();
    // The body of a refused request is thrown away by uWebSockets, which gives it 10 s.
    if (answered !== undefined && !isLast) writeAnswer(res, request, answered, draining);
    else new UwsExchange(res, request, this.#shared, { declaredLength, isLast }, answered);
  }

  /**
   * Answers, and closes before the parser takes another byte: requests that are smuggled behind a malformed one may lie
   * in the same buffer. uWebSockets closes on them, but an answer that is still corked would be lost in that close, and
   * nothing flushes it but an overflow; hence the blanks behind the body. Tried and found wanting: `end` with its close
   * flag (closes when the buffer is parsed to its end, and the smuggled requests are handled), an answer a turn later
   * (never sent if a request lies behind), `cork` (does nothing in the request callback). HEAD, whose answer has no body
   * to put blanks behind, may lose its answer.
   */
  #cutOff(res: UwsResponse, request: RequestHead, refusal: HttpResponse): void {
    if (request.method === "HEAD") new LastAnswer(res, request, refusal, () => {}).close();
    else new LastAnswer(res, request, { ...refusal, body: `${refusal.body}${PADDING}` }, () => {}).cutOff();
  }
}
