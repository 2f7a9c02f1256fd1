import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { ConnectionCount } from "./connection-count.ts";
import { rawAnswer, refuseUnread } from "./node-answer.ts";
import { endPolitely, NodeConnection, type NodeRequest, PipelineTurns } from "./node-connection.ts";
import { NodeExchange } from "./node-exchange.ts";
import { malformed, tooManyConnections, tooManyPipelined } from "./refusals.ts";
import { HeadScanner, newTraceId, requestLineBytes } from "./request-head.ts";
import {
  type HttpLimits,
  type HttpServer,
  HttpServerError,
  type HttpServerOptions,
  type HttpServerStats,
  isAdmitted,
} from "./server.ts";
import { acceptWaiting, type ServerParts, serverParts } from "./traffic.ts";

/** node:http counts a header block slightly differently: its limit is above ours, so that ours decides. */
const HEADER_SLACK_BYTES = 1024;
const NON_ASCII = /[\u0080-\u00ff]/;

/** The server on node:http: slower, but it runs on every Node. */
export class NodeServer implements HttpServer {
  readonly adapter = "node";
  readonly #server: Server;
  readonly #scanner: HeadScanner;
  readonly #shared: ServerParts;
  readonly #turns = new PipelineTurns();
  readonly #connections = new Map<Socket, NodeConnection>();
  readonly #count: ConnectionCount;
  /** Connections since the start. */
  #accepted = 0;
  #lastClosed: () => void = () => undefined;

  constructor(options: HttpServerOptions) {
    this.#shared = serverParts(options);
    const { limits } = this.#shared;
    this.#scanner = new HeadScanner(options.wantedHeaders, limits);
    this.#count = new ConnectionCount(limits, options.proxies);
    this.#server = createServer(settings(limits));
    this.#server.timeout = limits.connectionStillMs;
    // The default is 2000; beyond that node:http silently drops fields, such as a second content-length.
    this.#server.maxHeadersCount = 0;
    this.#listenForRequests();
  }

  start({ host, port }: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => {
        reject(new HttpServerError("listen_failed", `cannot listen on ${host}:${port}`, error));
      };
      this.#server.once("error", failed);
      this.#server.listen({ host, port }, () => {
        this.#server.off("error", failed);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  stopAccepting(): void {
    this.#shared.draining = true;
    if (!this.#server.listening) return;
    // The close of http.Server would also cut idle connections, even while a request arrives on one.
    NetServer.prototype.close.call(this.#server);
  }

  async close(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    const { traffic, limits } = this.#shared;
    if (this.#server.listening) await acceptWaiting(() => this.#accepted);
    this.stopAccepting();
    await traffic.quiet(limits.drainQuietMs, graceMs, () => this.#connections.size === 0);
    for (const connection of this.#connections.values()) connection.closeIfIdle();
    await this.#allClosed(deadline - performance.now());
    for (const connection of this.#connections.values()) connection.destroy();
    this.#server.close(); // it no longer listens, but this ends its time-out checks
  }

  stats(): HttpServerStats {
    return this.#shared.traffic.stats(this.#connections.size, this.#shared.bodies.taken);
  }

  #listenForRequests(): void {
    const receive = (req: IncomingMessage, res: ServerResponse) => this.#receive(req, res, false);
    this.#server.on("connection", (socket: Socket) => {
      this.#accepted += 1;
      if (!this.#enter(socket)) return;
      const connection = new NodeConnection(socket, this.#turns, (request) =>
        this.#begin(connection, request),
      );
      this.#connections.set(socket, connection);
      socket.once("close", () => {
        this.#connections.delete(socket);
        if (this.#connections.size === 0) this.#lastClosed();
      });
    });
    // Without this listener the socket would be closed in any case.
    this.#server.on("timeout", (socket: Socket) => {
      if (this.#connections.get(socket)?.isHandling !== true) socket.destroy();
    });
    this.#server.on("request", receive);
    this.#server.on("checkContinue", (req, res) => this.#receive(req, res, true));
    this.#server.on("checkExpectation", receive); // otherwise node:http answers 417, which is not in the catalogue
    this.#server.on("connect", (_req: IncomingMessage, socket: Socket) => {
      this.#fail(socket, "the request target must be a path");
    });
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      this.#fail(socket, reasonOf(error, this.#shared.limits));
    });
  }

  /** Whether there may be one more connection; if not, it gets a reason and is ended. */
  #enter(socket: Socket): boolean {
    const verdict = this.#count.enter(socket.remoteAddress ?? "");
    socket.once("close", verdict.leave);
    if (verdict.isOpen) return true;
    this.#shared.traffic.refuse("unavailable");
    if (verdict.isTold) {
      const traceId = newTraceId();
      endPolitely(socket, rawAnswer(tooManyConnections(traceId), traceId));
    } else socket.destroy();
    return false;
  }

  #receive(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const connection = this.#connections.get(req.socket);
    if (connection === undefined) return;
    const { traffic, limits } = this.#shared;
    if (connection.isFull(limits.pipelinedRequests)) {
      const traceId = newTraceId();
      traffic.refuse("unavailable");
      connection.refuseBehind(tooManyPipelined(limits.pipelinedRequests, traceId), traceId);
    } else if (connection.take({ req, res, awaitsContinue })) {
      traffic.seen();
    }
  }

  #begin(connection: NodeConnection, message: NodeRequest): void {
    const { req, awaitsContinue } = message;
    const { api, limits, draining } = this.#shared;
    const request = this.#scan(req);
    request.connectedFrom(() => req.socket.remoteAddress ?? "");
    const fault = lineFault(req) ?? this.#scanner.fault();
    if (fault !== undefined) {
      this.#shared.traffic.refuse("bad_request");
      connection.refuseLast(malformed(fault, request.traceId), request.traceId);
      return;
    }
    const declaredLength = this.#scanner.declaredLength();
    const isTooLarge = declaredLength !== undefined && declaredLength > limits.bodyBytes;
    const admission = isTooLarge ? undefined : api.admit(request);
    if (admission === undefined || admission instanceof Promise || isAdmitted(admission)) {
      new NodeExchange(connection, message, request, this.#shared, declaredLength, admission);
    } else {
      // node:http closes the connection of a caller that waits for "100 Continue" in vain.
      const closeConnection = draining || awaitsContinue;
      if (closeConnection) connection.ignoreFurtherRequests();
      refuseUnread(message, request, admission, { closeConnection, limits });
    }
  }

  #scan(req: IncomingMessage) {
    const method = req.method ?? "";
    const target = req.url ?? "";
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const query = mark < 0 ? "" : target.slice(mark + 1);
    this.#scanner.begin(requestLineBytes(method, path, query), method);
    const fields = req.rawHeaders;
    for (let i = 0; i < fields.length; i += 2) {
      this.#scanner.field((fields[i] as string).toLowerCase(), utf8(fields[i + 1] as string));
    }
    return this.#scanner.request(method, path);
  }

  #fail(socket: Socket, reason: string): void {
    const connection = this.#connections.get(socket);
    const traceId = newTraceId();
    if (connection === undefined) socket.destroy();
    // A connection that was reset comes here, too, and is not a request.
    else if (connection.fail(malformed(reason, traceId), traceId)) this.#shared.traffic.refuse("bad_request");
  }

  #allClosed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#connections.size === 0 || withinMs <= 0) {
        resolve();
        return;
      }
      const timer = setTimeout(resolve, withinMs);
      // Not the server's own "close" event, which comes before the last connection's.
      this.#lastClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function settings(limits: HttpLimits) {
  return {
    maxHeaderSize: limits.headerBlockBytes + HEADER_SLACK_BYTES,
    requireHostHeader: false, // our scanner demands it, and answers with the envelope
    headersTimeout: limits.requestReceiveMs,
    requestTimeout: limits.requestReceiveMs,
    keepAliveTimeout: limits.keepAliveIdleMs,
    // How late a time-out may be noticed; the default is 30 s, as long as the time-out itself.
    connectionsCheckingInterval: Math.min(1000, limits.requestReceiveMs),
  };
}

/** The faults of a request line that uWebSockets.js refuses, so that both adapters refuse the same. */
function lineFault(req: IncomingMessage): string | undefined {
  if (req.httpVersion !== "1.1") return "HTTP/1.1 is required";
  if (!req.url?.startsWith("/")) return "the request target must be a path";
  return undefined;
}

/** node:http reads header values as Latin-1, uWebSockets.js as UTF-8. */
function utf8(value: string): string {
  return NON_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}

function reasonOf(error: NodeJS.ErrnoException, limits: HttpLimits): string {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return `the request line and header fields exceed ${limits.headerBlockBytes} bytes`;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return `the request did not arrive whole within ${limits.requestReceiveMs} ms`;
    default:
      return "malformed HTTP";
  }
}
