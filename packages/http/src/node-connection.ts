import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rawAnswer } from "./node-answer.ts";
import type { HttpResponse } from "./server.ts";

/** How long a caller may take to close its side after it was told that nothing more comes. */
const FIN_WAIT_MS = 500;

/** A request of a connection that is owed an answer. */
interface OwedExchange {
  /** Whether something of the answer is still to be written. */
  readonly isOpen: boolean;
  /** The client is gone, or its connection must be closed. */
  abort(): void;
  /** A request came behind it that is not taken. */
  beLast(): void;
}

/** One connection of node:http: the requests that still need an answer, and whether more are taken. */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #owed = new Set<OwedExchange>();
  #latest: IncomingMessage | undefined;
  /** The exchange of the latest request; undefined if that was refused before there was one. */
  #latestExchange: OwedExchange | undefined;
  #ignoring = false;
  /** Of the requests that were taken, how many answers are not handed to the kernel yet. */
  #unsent = 0;
  /** Waits for `expect: 100-continue` to be decided. */
  #expecting: OwedExchange | undefined;
  /** What is sent before the connection ends, once no more than `open` answers are unsent. */
  #ending: { readonly answer: string; readonly open: number } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once("close", () => {
      for (const exchange of this.#owed) exchange.abort();
    });
  }

  /**
   * False for a request that came behind an answer with `connection: close`. node:http goes on parsing what
   * it has already read, and a smuggled request must not reach the API. The same behind one that still waits to be told to go
   * on: if that is refused, node:http closes the connection, and what is behind it would take effect without an answer.
   */
  takes(req: IncomingMessage, res: ServerResponse): boolean {
    this.#latest = req;
    this.#latestExchange = undefined;
    if (this.#expecting !== undefined) {
      this.#ignoring = true;
      this.#expecting.beLast();
    }
    if (this.#ignoring) return false;
    this.#unsent += 1;
    res.once("close", () => {
      this.#unsent -= 1;
      this.#endWhenSent();
    });
    return true;
  }

  expects(exchange: OwedExchange): void {
    this.#expecting = exchange;
  }

  /** It was told to go on, or refused. */
  decided(exchange: OwedExchange): void {
    if (this.#expecting === exchange) this.#expecting = undefined;
  }

  ignoreFurtherRequests(): void {
    this.#ignoring = true;
  }

  owe(exchange: OwedExchange): void {
    this.#owed.add(exchange);
    this.#latestExchange = exchange;
  }

  /** Whether no later request has come on this connection, so that its answer would be the last one. */
  isLatest(exchange: OwedExchange): boolean {
    return this.#latestExchange === exchange;
  }

  paid(exchange: OwedExchange): void {
    this.#owed.delete(exchange);
  }

  /**
   * For malformed bytes or a time-out: node:http cannot read on. Returns whether the refusal is sent.
   *
   * Requests before it were whole, and take effect: they get their answers first, in their order. Then comes the refusal, if it
   * is the answer to something, and the connection ends. A client that has sent nothing yet would take it for the answer to
   * its first request, and behind an answer that ends the connection nothing may come.
   */
  fail(refusal: HttpResponse, traceId: string): boolean {
    if (this.#ending !== undefined) return false;
    const isInBody = this.#latest !== undefined && !this.#latest.complete;
    const broken = isInBody ? this.#latestExchange : undefined;
    const isOwed = broken !== undefined && this.#owed.has(broken);
    const mayAnswer = !this.#ignoring && this.#socket.bytesRead > 0 && (!isInBody || isOwed);
    const open = broken?.isOpen ? 1 : 0;
    this.#ignoring = true;
    broken?.abort();
    if (!this.#socket.writable) {
      for (const exchange of this.#owed) exchange.abort();
      this.#socket.destroy();
      return false;
    }
    this.#ending = { answer: mayAnswer ? rawAnswer(refusal, traceId) : "", open };
    this.#endWhenSent();
    return mayAnswer;
  }

  /** For a request whose head breaks a rule: its refusal is the last answer, behind those that are owed. */
  refuseLast(refusal: HttpResponse, traceId: string): void {
    this.#ignoring = true;
    // The request's own place among the answers stays empty.
    this.#ending ??= { answer: rawAnswer(refusal, traceId), open: 1 };
    this.#endWhenSent();
  }

  #endWhenSent(): void {
    if (this.#ending === undefined || this.#unsent > this.#ending.open) return;
    if (this.#socket.writable) this.#endPolitely(this.#ending.answer);
  }

  /**
   * Tells the caller that nothing more comes (FIN). Then the caller closes its side. What it sent meanwhile is read, so that
   * nothing is reset: a reset would take answers along that it has not read.
   */
  #endPolitely(last = ""): void {
    this.#socket.end(last);
    setTimeout(() => this.#socket.destroy(), FIN_WAIT_MS).unref();
  }

  /** For the end of the server; not while an answer is on its way, which closes the connection itself. */
  closeIfIdle(): void {
    if (this.#owed.size > 0 || this.#socket.writableLength > 0) return;
    this.#ignoring = true;
    this.#endPolitely();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
