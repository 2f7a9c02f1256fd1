import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { rawAnswer } from "./node-answer.ts";
import type { HttpResponse } from "./server.ts";

/** How long requests that came in pipelines are begun in one turn of the event loop. */
const TURN_MS = 5;

/** How long a caller may take to close its side after it was told that nothing more comes. */
const FIN_WAIT_MS = 500;

/** While as many requests of a connection wait, no more is read of it. */
const PAUSE_AT = 16;

/** A request of a connection that is owed an answer. */
interface OwedExchange {
  /** Whether something of the answer is still to be written. */
  readonly isOpen: boolean;
  /** The client is gone, or its connection must be closed. */
  abort(): void;
  /** A request came behind it that is not taken. */
  beLast(): void;
}

/** A request as node:http gives it. */
export interface NodeRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** It sent `expect: 100-continue`. */
  readonly awaitsContinue: boolean;
}

/**
 * One connection of node:http: the requests that still need an answer, and whether more are taken.
 *
 * Its requests are begun one after the other, each in a turn of the event loop of its own once the answer before it is with the
 * kernel. node:http gives all that it reads at once: a caller that sends requests without waiting would fill the loop with
 * them, and the memory with answers that it never reads.
 */
export class NodeConnection {
  readonly #socket: Socket;
  readonly #turns: PipelineTurns;
  readonly #begin: (request: NodeRequest) => void;
  /** Requests that were taken and are not begun. */
  readonly #waiting: NodeRequest[] = [];
  /** A request has begun in this turn of the event loop. */
  #hasTurn = false;
  /** Nothing is read until none waits. */
  #isHeld = false;
  readonly #owed = new Set<OwedExchange>();
  #latest: IncomingMessage | undefined;
  /** The exchange of the latest request; undefined if that was refused before there was one. */
  #latestExchange: OwedExchange | undefined;
  #ignoring = false;
  /** How many taken requests have an answer that the kernel does not have yet. */
  #unsent = 0;
  /** Waits for `expect: 100-continue` to be decided. */
  #expecting: OwedExchange | undefined;
  /** The last bytes before the connection ends; they are sent once no more than `open` answers are unsent. */
  #ending: { readonly answer: string; readonly open: number } | undefined;

  constructor(socket: Socket, turns: PipelineTurns, begin: (request: NodeRequest) => void) {
    this.#socket = socket;
    this.#turns = turns;
    this.#begin = begin;
    // Reading the body of an earlier request makes node:http read on.
    socket.on("resume", () => {
      if (this.#isHeld) socket.pause();
    });
    socket.once("close", () => {
      this.#waiting.length = 0;
      for (const exchange of this.#owed) exchange.abort();
    });
  }

  /**
   * Takes a request, and begins it when it is its turn. Not one that came behind an answer with `connection: close`: node:http
   * goes on parsing what it has already read, and a smuggled request must not reach the API. The same behind one that still
   * waits to be told to go on: if that is refused, node:http closes the connection, and what is behind it would take effect
   * without an answer.
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

  /** Whether as many requests wait as may, so that a further one must be refused. */
  isFull(limit: number): boolean {
    return this.#waiting.length >= limit && !this.#ignoring;
  }

  /**
   * Whether none has begun in this turn of the event loop and no answer is unsent. An answer may be with the kernel before the
   * next request is parsed: one turn would go on for as long as the caller sends.
   */
  get #mayBegin(): boolean {
    return !this.#hasTurn && this.#unsent === 0;
  }

  /** For `PipelineTurns`, to which a connection is added when its next request may begin. */
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

  /** One buffer that was read already may still come; the rest waits with the caller. */
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

  /** It was told to go on, or refused. */
  decided(exchange: OwedExchange): void {
    if (this.#expecting === exchange) this.#expecting = undefined;
  }

  /** Nothing is begun any more, not even what was taken: the answer under way is the last one. */
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
   * For malformed bytes or a time-out: node:http cannot read on. Returns whether the refusal is sent.
   *
   * Requests before it were whole, and take effect: they get their answers first, in their order. Then comes the refusal, if it
   * is the answer to something, and the connection ends. A client that has sent nothing yet would take it for the answer to
   * its first request, and behind an answer that ends the connection nothing may come.
   */
  fail(refusal: HttpResponse, traceId: string): boolean {
    if (this.#ending !== undefined) return false;
    const isInBody = this.#latest !== undefined && !this.#latest.complete;
    // The last one that waits: its place among the answers is that of the refusal.
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

  /** For a request with a head that breaks a rule: its refusal is the last answer, behind those that are owed. */
  refuseLast(refusal: HttpResponse, traceId: string): void {
    this.ignoreFurtherRequests();
    // The request's own place among the answers stays empty. What followed it may have failed before it was begun.
    this.#ending = { answer: rawAnswer(refusal, traceId), open: 1 };
    this.#endWhenSent();
  }

  /** For a request behind too many: its refusal is the last answer, behind all theirs. */
  refuseBehind(refusal: HttpResponse, traceId: string): void {
    this.#ignoring = true;
    this.#ending ??= { answer: rawAnswer(refusal, traceId), open: 0 };
  }

  #endWhenSent(): void {
    if (this.#ending === undefined || this.#waiting.length > 0 || this.#unsent > this.#ending.open) return;
    if (this.#socket.writable) endPolitely(this.#socket, this.#ending.answer);
  }

  /** Whether a request is being handled, so that nothing need move on the connection. */
  get isHandling(): boolean {
    return this.#owed.size > 0 && this.#socket.writableLength === 0;
  }

  /** For the end of the server; not while an answer is on its way, which closes the connection itself. */
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
 * Begins the requests that came in pipelines, one of each connection after the other, and only for a while in each turn of the
 * event loop. So however many connections send without waiting, a caller who sends one request at a time waits for one such turn.
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
      // Not those that are added meanwhile.
      for (let left = this.#connections.length; left > 0; left--) {
        this.#connections.shift()?.beginNext();
        if (performance.now() > until) break;
      }
      if (this.#connections.length > 0) this.#schedule();
    });
  }
}

/**
 * Tells the caller that nothing more comes (FIN). Then the caller closes its side. What it sent meanwhile is read, so that
 * nothing is reset: a reset would take answers along that it has not read.
 */
export function endPolitely(socket: Socket, last = ""): void {
  socket.end(last);
  setTimeout(() => socket.destroy(), FIN_WAIT_MS).unref();
}

/** The caller sent the body unasked, and all of it is there. It is told to go on, or node:http would close behind a refusal. */
function goneOn({ req, res }: NodeRequest): NodeRequest {
  res.writeContinue();
  return { req, res, awaitsContinue: false };
}
