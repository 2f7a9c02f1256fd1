import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { rawAnswer } from "./node-answer.ts";
import type { HttpResponse } from "./server.ts";

interface Owed {
  abort(): void;
}

/** How long a caller may take to close its side after it was told that nothing more comes. */
const FIN_WAIT_MS = 500;

/** One connection of node:http: the requests that still need an answer, and whether more are taken. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #owed = new Set<Owed>();
  #latest: IncomingMessage | undefined;
  /** The exchange of the latest request; undefined if that was refused before there was one. */
  #latestExchange: Owed | undefined;
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

  owe(exchange: Owed): void {
    this.#owed.add(exchange);
    this.#latestExchange = exchange;
  }

  /** Whether no later request has come on this connection, so that its answer would be the last one. */
  isLatest(exchange: Owed): boolean {
    return this.#latestExchange === exchange;
  }

  paid(exchange: Owed): void {
    this.#owed.delete(exchange);
  }

  /**
   * To be called when node:http cannot read on: malformed bytes, or a time-out. Returns whether the refusal
   * could be sent.
   */
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
