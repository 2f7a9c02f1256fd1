import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rawAnswer } from "./node-answer.ts";
import type { HttpResponse } from "./server.ts";

/** How long pipelined requests are begun within one turn of the event loop. */
const TURN_MS = 5;

/** How long a caller may take to close its side after the server's FIN. */
const FIN_WAIT_MS = 500;

/** While this many requests of a connection wait, no more is read from it. */
const PAUSE_AT = 16;

/** A request of a connection that is owed an answer. */
interface OwedExchange {
  /** Whether a part of the answer is still to be written. */
  readonly isOpen: boolean;
  /** The client is gone, or its connection must be closed. */
  abort(): void;
  /** A later request came and is not taken. */
  beLast(): void;
}

/** A request from node:http. */
export interface NodeRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** It sent `expect: 100-continue`. */
  readonly awaitsContinue: boolean;
}

/**
 * One connection of node:http: the requests that still need an answer, and whether more are taken.
 *
 * Its requests are begun one after the other, each in its own turn of the event loop once the kernel has the
 * previous answer. node:http emits everything that it reads in one go: a caller that sends requests without
 * waiting would fill the loop with them, and the memory with answers that it never reads.
 */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #turns: PipelineTurns;
  readonly #begin: (request: NodeRequest) => void;
  /** Requests that were taken and are not begun. */
  readonly #waiting: NodeRequest[] = [];
  /** Whether a request has begun in this turn of the event loop. */
  #hasTurn = false;
  /** Whether reading pauses until no request waits. */
  #isHeld = false;
  readonly #owed = new Set<OwedExchange>();
  #latest: IncomingMessage | undefined;
  /** The exchange of the latest request; undefined if the request was refused before it had one. */
  #latestExchange: OwedExchange | undefined;
  #ignoring = false;
  /** The number of taken requests whose answer the kernel does not have yet. */
  #unsent = 0;
  /** The exchange with an undecided `expect: 100-continue`. */
  #expecting: OwedExchange | undefined;
  /** The last bytes before the connection ends; they are sent once no more than `open` answers are unsent. */
  #ending: { readonly answer: string; readonly open: number } | undefined;

  constructor(socket: Socket, turns: PipelineTurns, begin: (request: NodeRequest) => void) {
    this.#socket = socket;
    this.#turns = turns;
    this.#begin = begin;
    // Reading the body of an earlier request makes node:http resume.
    socket.on("resume", () => {
      if (this.#isHeld) socket.pause();
    });
    socket.once("close", () => {
      this.#waiting.length = 0;
      for (const exchange of this.#owed) exchange.abort();
    });
  }

  /**
   * Takes a request, and begins it in its turn. Does not take one after an answer with `connection: close`:
   * node:http still parses everything that it has read, and a smuggled request must not reach the API. The
   * same after a request that still waits for its go-ahead: if that is refused, node:http closes the
   * connection, and a later request would take effect without an answer.
   * @returns false if it is not taken
   */
  take(request: NodeRequest): boolean {
    this.#latest = request.req;
    this.#latestExchange = undefined;
    if (this.#expecting !== undefined) {
      this.#ignoring = true;
      this.#expecting.beLast();
    }
    if (this.#ignoring) return false;
    if (this.#mayBegin && this.#waiting.length === 0) {
      this.#start(request);
      return true;
    }
    this.#waiting.push(request);
    if (this.#waiting.length === PAUSE_AT) this.#hold();
    return true;
  }

  /** Whether the allowed number of requests wait, so that a further one must be refused. */
  isFull(limit: number): boolean {
    return this.#waiting.length >= limit && !this.#ignoring;
  }

  /**
   * Whether none has begun in this turn of the event loop and no answer is unsent. The kernel may have an
   * answer before the next request is parsed: one turn would then last as long as the caller sends.
   */
  get #mayBegin(): boolean {
    return !this.#hasTurn && this.#unsent === 0;
  }

  /** For `PipelineTurns`, which holds a connection whose next request may begin. */
  beginNext(): void {
    const next = this.#mayBegin ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    if (this.#waiting.length === 0) this.#letGo();
    this.#start(next.awaitsContinue && next.req.complete ? goneOn(next) : next);
  }

  #start(request: NodeRequest): void {
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#takeTurn();
    });
    this.#unsent += 1;
    request.res.once("close", () => {
      this.#unsent -= 1;
      this.#endWhenSent();
      this.#takeTurn();
    });
    this.#begin(request);
  }

  #takeTurn(): void {
    if (this.#waiting.length > 0 && this.#mayBegin) this.#turns.add(this);
  }

  /** One buffer that was already read may still come; the caller keeps the rest. */
  #hold(): void {
    this.#isHeld = true;
    this.#socket.pause();
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  expects(exchange: OwedExchange): void {
    this.#expecting = exchange;
    if (this.#ignoring && this.#ending === undefined) exchange.beLast();
  }

  /** The exchange got its go-ahead or was refused. */
  decided(exchange: OwedExchange): void {
    if (this.#expecting === exchange) this.#expecting = undefined;
  }

  /** Begins no more requests, not even taken ones: the answer under way is the last one. */
  ignoreFurtherRequests(): void {
    this.#ignoring = true;
    this.#waiting.length = 0;
    this.#letGo();
  }

  owe(exchange: OwedExchange): void {
    this.#owed.add(exchange);
    this.#latestExchange = exchange;
  }

  /** Whether no later request has come on this connection, so that its answer would be the last one. */
  isLatest(exchange: OwedExchange): boolean {
    return this.#latestExchange === exchange && this.#waiting.length === 0;
  }

  paid(exchange: OwedExchange): void {
    this.#owed.delete(exchange);
  }

  /**
   * For malformed bytes or a time-out: node:http cannot continue. Returns whether the refusal is sent.
   *
   * Earlier requests were complete, and take effect: they get their answers first, in their order. Then comes
   * the refusal, if it answers something, and the connection ends. A client that has sent nothing yet would
   * take it for the answer to its first request, and nothing may follow an answer that ends the connection.
   */
  fail(refusal: HttpResponse, traceId: string): boolean {
    if (this.#ending !== undefined) return false;
    const isInBody = this.#latest !== undefined && !this.#latest.complete;
    // The last waiting request: the refusal takes its place among the answers.
    const unbegun = isInBody && this.#waiting.at(-1)?.req === this.#latest;
    if (unbegun) this.#waiting.pop();
    const broken = isInBody && !unbegun ? this.#latestExchange : undefined;
    const isOwed = unbegun || (broken !== undefined && this.#owed.has(broken));
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

  /** For a request whose head breaks a rule: its refusal is the last answer, after all those owed. */
  refuseLast(refusal: HttpResponse, traceId: string): void {
    this.ignoreFurtherRequests();
    // The request's own place among the answers stays empty. Later bytes may have failed before it was begun.
    this.#ending = { answer: rawAnswer(refusal, traceId), open: 1 };
    this.#endWhenSent();
  }

  /** For a request after too many others: its refusal is the last answer, after all theirs. */
  refuseBehind(refusal: HttpResponse, traceId: string): void {
    this.#ignoring = true;
    this.#ending ??= { answer: rawAnswer(refusal, traceId), open: 0 };
  }

  #endWhenSent(): void {
    if (this.#ending === undefined || this.#waiting.length > 0 || this.#unsent > this.#ending.open) return;
    if (this.#socket.writable) endPolitely(this.#socket, this.#ending.answer);
  }

  /** Whether a request is being handled, so that the connection may be still. */
  get isHandling(): boolean {
    return this.#owed.size > 0 && this.#socket.writableLength === 0;
  }

  /** For the end of the server; not while an answer is being sent, which closes the connection itself. */
  closeIfIdle(): void {
    if (this.#owed.size > 0 || this.#waiting.length > 0 || this.#socket.writableLength > 0) return;
    this.#ignoring = true;
    endPolitely(this.#socket);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Begins pipelined requests, one of each connection after the other, and only for a limited time in each turn
 * of the event loop. So however many connections send without waiting, a caller that sends one request at a
 * time waits for one such turn.
 */
export class PipelineTurns {
  readonly #connections: NodeConnection[] = [];
  #isDue = false;

  add(connection: NodeConnection): void {
    this.#connections.push(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const until = performance.now() + TURN_MS;
      // Without those that are added meanwhile.
      for (let left = this.#connections.length; left > 0; left--) {
        this.#connections.shift()?.beginNext();
        if (performance.now() > until) break;
      }
      if (this.#connections.length > 0) this.#schedule();
    });
  }
}

/**
 * Sends FIN; the caller then closes its side. Everything that it sent meanwhile is read, so that nothing is
 * reset: a reset would discard answers that it has not read.
 */
export function endPolitely(socket: Socket, last = ""): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), FIN_WAIT_MS).unref();
}

/**
 * The caller sent the body without waiting, and all of it is there. It gets the go-ahead, otherwise node:http
 * would close after a refusal.
 */
function goneOn({ req, res }: NodeRequest): NodeRequest {
  res.writeContinue();
  return { req, res, awaitsContinue: false };
}
