import type { Retry } from "../retry.ts";
import { StampedeError } from "../stampede-error.ts";
import type { EventOutcome } from "./event-outcome.ts";
import { EventQueue, type QueuedEvent } from "./event-queue.ts";
import { Fifo } from "./fifo.ts";
import { judgeFailure, type Verdict } from "./judge-failure.ts";
import type { Pace } from "./pace.ts";
import { type IngestAnswer, readOutcomes } from "./read-answer.ts";

/**
 * Makes one attempt at `transaction/ingest`.
 * @param body the JSON text of the request
 * @returns what the answer says of the events, be it a success or a refusal of some of them
 * @throws StampedeError if nothing is known of them
 */
export type PostEvents = (body: string, signal: AbortSignal) => Promise<IngestAnswer>;

export interface SenderOptions {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  readonly retryForMs: number;
  readonly pace: Pace;
  readonly post: PostEvents;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  /** An event's outcome is known. */
  readonly onOutcome: (event: QueuedEvent, outcome: EventOutcome) => void;
  /** A request can never be delivered; the sender has stopped. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Events that are delivered together. A request keeps its events and their order, however often it is repeated;
 * its keys are released only when the outcome of each of them is known.
 */
interface Request {
  readonly events: readonly QueuedEvent[];
  /** The events still to be sent, one part after the other: several parts after a 413. */
  readonly parts: (readonly QueuedEvent[])[];
  /** How often the first part has failed in a row, and since when. */
  failures: number;
  failingSince: number;
}

/** Cuts requests and sends them, several at a time, until each event has its outcome. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #queue = new EventQueue();
  readonly #pace: Pace;
  /** Requests, or parts of them, to be sent again: before anything new. */
  readonly #again = new Fifo<Request>();
  /** One for every open attempt: a single signal that lives as long as the stream would collect listeners. */
  readonly #open = new Set<AbortController>();
  #maxBytes: number;
  /** Everything up to the event with this number is to leave as soon as a request may be opened. */
  #dueUpTo = 0;
  #lastNumber = 0;
  #gathering: NodeJS.Timeout | undefined;
  #pausing: NodeJS.Timeout | undefined;
  #isSettling = false;
  #isStopped = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#pace = options.pace;
    this.#maxBytes = options.maxBytes;
  }

  push(event: QueuedEvent): void {
    this.#queue.push(event);
    this.#lastNumber = event.number;
    // Events that callers give in return for an answer leave together, not one by one.
    if (!this.#isSettling) this.#sendDue();
  }

  /** Lets nothing up to the event with this number wait for others, be it pushed already or not. */
  hurry(number = this.#lastNumber): void {
    this.#dueUpTo = Math.max(this.#dueUpTo, number);
    this.#sendDue();
  }

  /** Gives up everything. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#gathering);
    clearTimeout(this.#pausing);
    for (const attempt of this.#open) attempt.abort();
  }

  /** Opens as many requests as have a reason to leave, within the limit. */
  #sendDue(): void {
    if (this.#isStopped) return;
    const wait = this.#pace.waitMs(performance.now());
    if (wait > 0) {
      this.#pausing ??= this.#later(wait, () => {
        this.#pausing = undefined;
      });
      return;
    }
    while (this.#open.size < this.#pace.limit) {
      const request = this.#again.shift() ?? this.#nextRequest();
      if (request === undefined) break;
      void this.#send(request);
    }
    this.#gatherRest();
  }

  /** Events that are not due yet become due after `maxWaitMs`. */
  #gatherRest(): void {
    if (this.#queue.isEmpty || this.#isDue()) {
      // A timer without need would keep a program from ending.
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
      return;
    }
    this.#gathering ??= this.#later(this.#options.maxWaitMs, () => {
      this.#gathering = undefined;
      this.#dueUpTo = this.#lastNumber;
    });
  }

  #later(ms: number, change: () => void): NodeJS.Timeout {
    return setTimeout(() => {
      change();
      this.#sendDue();
    }, ms);
  }

  #isDue(): boolean {
    return (
      this.#queue.waitsSince(this.#dueUpTo) || this.#queue.fills(this.#options.maxEvents, this.#maxBytes)
    );
  }

  #nextRequest(): Request | undefined {
    if (!this.#isDue()) return undefined;
    const events = this.#queue.take(this.#options.maxEvents, this.#maxBytes);
    if (events.length === 0) return undefined;
    return { events, parts: [events], failures: 0, failingSince: 0 };
  }

  /** One attempt. The request's state says what is next, so that a crash between two attempts has no state of its own. */
  async #send(request: Request): Promise<void> {
    const part = request.parts[0] as readonly QueuedEvent[];
    const attempt = new AbortController();
    const begun = this.#pace.begin();
    this.#open.add(attempt);
    const result = await this.#attempt(part, attempt.signal).catch((error: unknown) => error as Error);
    this.#open.delete(attempt);
    if (this.#isStopped) return;
    if (result instanceof Error) this.#failed(request, part, result, begun);
    else this.#answered(request, part, result);
    this.#sendDue();
  }

  async #attempt(part: readonly QueuedEvent[], signal: AbortSignal): Promise<readonly EventOutcome[]> {
    const body = `{"events":[${part.map(({ json }) => json).join(",")}]}`;
    return readOutcomes(await this.#options.post(body, signal), part.length);
  }

  #answered(request: Request, part: readonly QueuedEvent[], outcomes: readonly EventOutcome[]): void {
    this.#pace.answered();
    this.#isSettling = true;
    for (const [index, event] of part.entries()) {
      this.#options.onOutcome(event, outcomes[index] as EventOutcome);
    }
    this.#isSettling = false;
    this.#next(request, []);
  }

  #failed(request: Request, part: readonly QueuedEvent[], error: Error, begun: number): void {
    const verdict: Verdict =
      error instanceof StampedeError ? judgeFailure(error, part.length) : { kind: "hopeless" };
    switch (verdict.kind) {
      case "repeat":
        this.#repeat(request, error as StampedeError, { ...verdict, begun });
        break;
      case "halve": {
        const middle = Math.ceil(part.length / 2);
        // A proxy in front of the service will refuse the next one of this size as well.
        this.#maxBytes = Math.min(this.#maxBytes, Math.ceil(bytesOf(part) / 2));
        this.#next(request, [part.slice(0, middle), part.slice(middle)]);
        break;
      }
      case "without": {
        for (const [index, outcome] of verdict.malformed) {
          this.#options.onOutcome(part[index] as QueuedEvent, outcome);
        }
        this.#next(request, [part.filter((_, index) => !verdict.malformed.has(index))]);
        break;
      }
      case "hopeless":
        this.#giveUp(error);
    }
  }

  #repeat(
    request: Request,
    error: StampedeError,
    setback: { begun: number; busy: boolean; retryAfterMs: number },
  ): void {
    const now = performance.now();
    if (request.failures === 0) request.failingSince = now;
    request.failures += 1;
    const delayMs = this.#pace.failed(setback, now);
    if (now + delayMs - request.failingSince > this.#options.retryForMs) {
      this.#giveUp(error);
      return;
    }
    this.#again.push(request);
    try {
      this.#options.onRetry?.({ attempt: request.failures, error, delayMs });
    } catch (fault) {
      this.#giveUp(fault);
    }
  }

  /** Puts `parts` in the place of the part that was just sent, and goes on with the request or ends it. */
  #next(request: Request, parts: readonly (readonly QueuedEvent[])[]): void {
    request.parts.splice(0, 1, ...parts.filter(({ length }) => length > 0));
    request.failures = 0;
    if (request.parts.length > 0) this.#again.push(request);
    else this.#queue.release(request.events);
  }

  #giveUp(cause: unknown): void {
    this.stop();
    this.#options.onFailure(cause);
  }
}

function bytesOf(part: readonly QueuedEvent[]): number {
  return part.reduce((sum, { bytes }) => sum + bytes + 1, 0);
}
