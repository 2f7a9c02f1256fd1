import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { resetSocket } from "./reset-socket.ts";
import type { Certificate } from "./self-signed-certificate.ts";

/** A request to a receiver. Requests are kept in the order in which they had arrived whole. */
export interface ReceivedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came: the signature covers this text. */
  readonly body: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  /** The number of its connection, counted from 1. */
  readonly connection: number;
}

/** How a receiver answers a request that has arrived whole. */
export type ReceiverStep =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      /** Answers only when this resolves. */
      readonly after?: Promise<unknown>;
    }
  /** Sends no answer and keeps the connection open. */
  | { readonly kind: "hang" }
  /** Ends the connection with RST. Over TLS, which has no RST, it just ends. */
  | { readonly kind: "reset" }
  /** Ends its own side without an answer and goes on listening. */
  | { readonly kind: "half_close" }
  /** Begins an answer and resets in the middle of its body. */
  | { readonly kind: "cut"; readonly status: number }
  /** Answers a status, and then a byte of body at intervals, without end. */
  | { readonly kind: "slow"; readonly status: number; readonly everyMs: number }
  /** Answers a body without end, as fast as the caller reads. */
  | { readonly kind: "endless"; readonly status: number }
  /** Answers something that is not HTTP. */
  | { readonly kind: "garbage" }
  /** Answers these bytes, and ends. */
  | { readonly kind: "raw"; readonly bytes: string };

/** @param index the number of the request, counted from 0 */
export type ReceiverScript = (request: ReceivedRequest, index: number) => ReceiverStep;

export interface WebhookReceiver {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were ever opened, with a request or without. */
  readonly connections: number;
  /** Connections open now. */
  readonly open: number;
  /** Sets how it answers requests from now on. */
  follow(script: ReceiverScript): void;
  /** Ends all connections. Another receiver can take the port afterwards. */
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** Default: 200 to everything. */
  readonly script?: ReceiverScript;
  /** The certificate with which it speaks TLS. */
  readonly certificate?: Certificate;
  /** Default: a free one. */
  readonly port?: number;
}

/** An answer; a status alone is 200, 410 and the like. */
export function answer(
  status: number,
  more: Omit<Extract<ReceiverStep, { kind: "answer" }>, "kind" | "status"> = {},
): ReceiverStep {
  return { kind: "answer", status, ...more };
}

/** Uses each step for one request, and then always answers 200. */
export function inTurn(...steps: readonly ReceiverStep[]): ReceiverScript {
  let taken = 0;
  return () => steps[taken++] ?? answer(200);
}

/**
 * An HTTP server on loopback that follows a script and keeps its requests. If it resets a request on a
 * connection that has served another one, the sender may repeat the request at once, because it takes the
 * reset for the end of an idle connection. To see each attempt only once, answer with `connection: close`
 * before.
 */
export async function startWebhookReceiver(options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  let script: ReceiverScript = options.script ?? (() => answer(200));
  const requests: ReceivedRequest[] = [];
  const sockets = new Map<Socket, number>();
  let connections = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const received: ReceivedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      at: performance.now(),
      connection: sockets.get(request.socket) ?? 0,
    };
    await act(script(received, requests.push(received) - 1), request.socket, response);
  };
  const server =
    options.certificate === undefined
      ? createServer(take)
      : createTlsServer({ ...options.certificate }, take);
  server.on("connection", () => {
    connections += 1;
  });
  // A TLS connection has two sockets; requests know the upper one.
  server.on(options.certificate === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.set(socket, connections);
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    follow(next) {
      script = next;
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets.keys()) socket.destroy();
      });
    },
  };
}

async function act(step: ReceiverStep, socket: Socket, response: ServerResponse): Promise<void> {
  switch (step.kind) {
    case "answer":
      await step.after;
      response.writeHead(step.status, step.headers).end(step.body);
      return;
    case "hang":
      return;
    case "reset":
      resetSocket(socket);
      return;
    case "half_close":
      socket.end();
      return;
    case "cut":
      response
        .writeHead(step.status, { "content-length": "1000" })
        .write("a part", () => resetSocket(socket));
      return;
    case "slow":
      trickle(response.writeHead(step.status), step.everyMs);
      return;
    case "endless":
      flood(response.writeHead(step.status));
      return;
    case "garbage":
      socket.end("SSH-2.0-OpenSSH_9.6\r\n");
      return;
    case "raw":
      socket.end(step.bytes);
      return;
  }
}

function trickle(response: ServerResponse, everyMs: number): void {
  response.write(".");
  const timer = setInterval(() => response.write("."), everyMs);
  response.on("close", () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  const chunk = "x".repeat(16 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(chunk)) {}
  };
  response.on("drain", more);
  more();
}
