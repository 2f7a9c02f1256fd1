import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { rawAnswer, writeAnswer } from "./node-answer.ts";
import { overloaded, tooLarge } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { HttpResponse } from "./server.ts";
import type { ServerParts } from "./traffic.ts";

/** How long a caller may take to close its side after it was told that nothing more comes. */
const FIN_WAIT_MS = 500;

/** One connection of node:http: the requests that still need an answer, and whether more are taken. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #owed = new Set<NodeExchange>();
  #latest: IncomingMessage | undefined;
  /** The exchange of the latest request; undefined if that was refused before there was one. */
  #latestExchange: NodeExchange | undefined;
  #ignoring = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once("close", () => {
      for (const exchange of this.#owed) exchange.abort();
    });
  }

  /**
   * False for a request that came behind an answer with `connection: close`. node:http goes on parsing what
   * it has already read, and a smuggled request must not reach the API.
   */
  takes(req: IncomingMessage): boolean {
    this.#latest = req;
    this.#latestExchange = undefined;
    return !this.#ignoring;
  }

  ignoreFurtherRequests(): void {
    this.#ignoring = true;
  }

  owe(exchange: NodeExchange): void {
    this.#owed.add(exchange);
    this.#latestExchange = exchange;
  }

  /** Whether no later request has come on this connection, so that its answer would be the last one. */
  isLatest(exchange: NodeExchange): boolean {
    return this.#latestExchange === exchange;
  }

  paid(exchange: NodeExchange): void {
    this.#owed.delete(exchange);
  }

  /** For malformed bytes or a time-out: node:http cannot read on. Returns whether the refusal was sent. */
  fail(refusal: HttpResponse, traceId: string): boolean {
    const mayAnswer = this.#mayAnswerFailure();
    this.#ignoring = true;
    for (const exchange of this.#owed) exchange.abort();
    if (mayAnswer) {
      this.#socket.write(rawAnswer(refusal, traceId));
      this.#socket.destroySoon();
    } else {
      this.#socket.destroy();
    }
    return mayAnswer;
  }

  /**
   * Only if this answer is next in turn and none has begun. Behind a pending request, or on a connection that
   * has sent nothing yet, the client would take it for the answer to something else.
   */
  #mayAnswerFailure(): boolean {
    if (this.#ignoring || !this.#socket.writable || this.#socket.bytesRead === 0) return false;
    const inBody = this.#latest !== undefined && !this.#latest.complete;
    if (!inBody) return this.#owed.size === 0;
    return (
      this.#owed.size === 1 && this.#latestExchange !== undefined && this.#owed.has(this.#latestExchange)
    );
  }

  /**
   * For the end of the server: tells the caller that nothing more comes (FIN), unless an answer is on its
   * way, which closes the connection itself. Then the caller closes its side. What it sent meanwhile is read,
   * so that nothing is reset.
   */
  closeIfIdle(): void {
    if (this.#owed.size > 0 || this.#socket.writableLength > 0) return;
    this.#ignoring = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), FIN_WAIT_MS).unref();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** One admitted request until its answer; with the same states, for the same reasons, as `UwsExchange`. */
export class NodeExchange {
  readonly #connection: NodeConnection;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #request: RequestHead;
  readonly #shared: ServerParts;
  readonly #body: ArrivingBody;
  #state: "receiving" | "handling" | "lingering" | "done" = "receiving";
  #discardedBytes = 0;

  constructor(
    connection: NodeConnection,
    message: { req: IncomingMessage; res: ServerResponse },
    request: RequestHead,
    shared: ServerParts,
    declaredLength: number | undefined,
  ) {
    this.#connection = connection;
    this.#req = message.req;
    this.#res = message.res;
    this.#request = request;
    this.#shared = shared;
    this.#body = new ArrivingBody(shared.traffic, shared.limits, declaredLength);
    shared.traffic.begin();
    connection.owe(this);
    if (declaredLength === 0) {
      this.#handle(EMPTY_BODY);
      return;
    }
    if ((declaredLength ?? 0) > shared.limits.bodyBytes) this.#refuseSize();
    this.#req.on("data", (piece: Buffer) => this.#receive(piece));
    this.#req.on("end", () => this.#received());
  }

  /** The client is gone, or its connection must be closed. */
  abort(): void {
    const unanswered = this.#state === "receiving" || this.#state === "handling";
    this.#state = "done";
    if (!unanswered) return;
    this.#body.drop();
    this.#settle("aborted");
  }

  #receive(piece: Buffer): void {
    if (this.#state === "receiving") this.#keep(piece);
    else if (this.#state === "lingering") this.#discardedBytes += piece.byteLength;
    if (this.#state === "lingering" && this.#discardedBytes > this.#shared.limits.bodyBytes) this.#received();
  }

  #received(): void {
    if (this.#state === "receiving") {
      this.#handle(this.#body.take());
    } else if (this.#state === "lingering") {
      this.#state = "done";
      this.#res.end();
    }
  }

  #keep(piece: Buffer): void {
    switch (this.#body.append(piece)) {
      case "kept":
        return;
      case "too large":
        this.#refuseSize();
        return;
      case "no room":
        this.#shared.traffic.refuse("unavailable");
        this.#refuse(overloaded(this.#request.traceId));
        return;
    }
  }

  #handle(body: Uint8Array): void {
    this.#state = "handling";
    this.#shared.api.handle(this.#request, body, (response) => this.#respond(response));
  }

  #respond(response: HttpResponse): void {
    if (this.#state !== "handling") return;
    this.#state = "done";
    // After an earlier answer with "connection: close" node:http would never send the later ones.
    const closeConnection = this.#shared.draining && this.#connection.isLatest(this);
    if (closeConnection) this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#res, this.#request, response, { closeConnection, end: true });
    this.#settle("answered");
  }

  #refuseSize(): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId));
  }

  #refuse(refusal: HttpResponse): void {
    this.#state = "lingering";
    this.#body.drop();
    this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#res, this.#request, refusal, { closeConnection: true, end: false });
    this.#settle("answered");
  }

  #settle(outcome: "answered" | "aborted"): void {
    this.#connection.paid(this);
    this.#shared.traffic.end(outcome);
  }
}
