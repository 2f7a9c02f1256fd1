import { LIMITS } from "#contract";
import { guarded } from "./guarded-api.ts";
import { HttpServerError } from "./http-server-error.ts";
import { malformed, tooLarge } from "./refusals.ts";
import { HeadScanner, requestLineBytes } from "./request-head.ts";
import type { HttpServer, HttpServerOptions, HttpServerStats } from "./server.ts";
import { Traffic } from "./traffic.ts";
import { answerAndCutOff, writeAnswer } from "./uws-answer.ts";
import { UwsExchange, type UwsShared } from "./uws-exchange.ts";
import type { UwsApp, UwsListenSocket, UwsModule, UwsRequest, UwsResponse } from "./uws-module.ts";

/**
 * The fork's parser takes no longer content-length: after our callback it writes a 400 of its own over any
 * answer.
 */
const PARSABLE_LENGTH = 999_999_999;

/**
 * The server on uWebSockets.js. What its C++ decides before we are asked: a raw HTML 400 for `content-length`
 * with `transfer-encoding`, for a missing host and for broken chunks; 431 for a header block that comes in
 * parts (over 4096 bytes in the fork); 505 for HTTP/1.0 and for a request line that is broken (in the fork
 * also: comes in parts); a close without an answer for an unknown method and, after 10 s, for a block in
 * which it finds no end (in the fork also: over 49 fields). A request pipelined behind an unanswered one cuts
 * both off.
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
    this.#shared.draining = true;
    if (this.#listenSocket === undefined) return;
    (this.#uws.closeSocket ?? this.#uws.us_listen_socket_close)?.(this.#listenSocket);
    this.#listenSocket = undefined;
  }

  async close(graceMs: number): Promise<void> {
    this.stopAccepting();
    await this.#shared.traffic.idle(graceMs);
    this.#app.close();
  }

  stats(): HttpServerStats {
    return this.#shared.traffic.stats(this.#shared.traffic.inFlight);
  }

  #receive(res: UwsResponse, req: UwsRequest): void {
    const scanner = this.#scanner;
    const { api, limits, draining } = this.#shared;
    const method = req.getCaseSensitiveMethod();
    const path = req.getUrl();
    const query = req.getQuery() ?? "";
    scanner.begin(requestLineBytes(method, path, query));
    req.forEachHeader(this.#scanField);
    const request = scanner.request(method, path, query);
    const fault = scanner.fault();
    if (fault !== undefined) {
      answerAndCutOff(res, request, malformed(fault, request.traceId));
      return;
    }
    const declaredLength = scanner.declaredLength();
    if (declaredLength !== undefined && declaredLength > PARSABLE_LENGTH) {
      answerAndCutOff(res, request, tooLarge(limits.bodyBytes, request.traceId));
      return;
    }
    const fits = declaredLength === undefined || declaredLength <= limits.bodyBytes;
    const refusal = fits ? api.admit(request) : undefined;
    // The body of a refused request is thrown away by uWebSockets, which gives it 10 s.
    if (refusal !== undefined) writeAnswer(res, request, refusal, draining);
    else new UwsExchange(res, request, this.#shared, declaredLength);
  }
}
