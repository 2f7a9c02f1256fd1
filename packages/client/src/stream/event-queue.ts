import type { TransactionEvent } from "../generated/publisher-api.ts";
import type { EventOutcome } from "./event-outcome.ts";
import { Fifo } from "./fifo.ts";

/** An event that the stream has taken, and the call that waits for its outcome. */
export interface QueuedEvent {
  readonly event: TransactionEvent;
  /** Its `external_id`, by which it keeps its order. */
  readonly key: string;
  /** The event as it was given: a later change of the object changes nothing. */
  readonly json: string;
  /** UTF-8 bytes of `json`. */
  readonly bytes: number;
  /** 1 for the first event of the stream. */
  readonly number: number;
  /** The call of `send` that waits for its outcome; undefined for an event that was written. */
  readonly sender: EventSender | undefined;
}

export interface EventSender {
  readonly resolve: (outcome: EventOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** `{"events":[` and `]}` around the events of a request. */
const ENVELOPE_BYTES = 13;

/** One `external_id` with a request that is open or has just been answered. */
interface Lane {
  /** The request that is open; 0 while it waits for its next. */
  request: number;
  /** The events behind that request; undefined while there are none, as almost always. */
  behind: Fifo<QueuedEvent> | undefined;
}

/**
 * Events that wait to be sent. The queue cuts requests out of them so that no `external_id` is in two open
 * requests, and the events of each `external_id` leave in the order in which they came; nothing else holds an
 * event back.
 *
 * An event is in one of these places, and moves only forward: waiting, behind an open request of its key,
 * taken. Only `take` looks at keys, so that a later event cannot overtake an earlier one that still waits.
 */
export class EventQueue {
  readonly #waiting = new Fifo<QueuedEvent>();
  readonly #lanes = new Map<string, Lane>();
  /** Keys whose request has been answered while events waited behind it. */
  readonly #returned = new Fifo<string>();
  #waitingBytes = 0;
  #requests = 0;

  push(event: QueuedEvent): void {
    this.#waiting.push(event);
    this.#waitingBytes += event.bytes + 1;
  }

  /** Whether `take` would give any event now, as far as the queue knows without looking at keys. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#returned.size === 0;
  }

  /** Whether the next request would be full. */
  fills(maxEvents: number, maxBytes: number): boolean {
    return this.#waiting.size >= maxEvents || this.#waitingBytes + ENVELOPE_BYTES > maxBytes;
  }

  /** Whether an event waits that was given no later than the event with this number. */
  waitsSince(number: number): boolean {
    // Events that waited behind a request have waited long enough.
    return this.#returned.size > 0 || (this.#waiting.peek()?.number ?? Number.POSITIVE_INFINITY) <= number;
  }

  /**
   * The events of the next request: empty if all that waits is behind open requests. The caller gives them back
   * to `release` once their outcomes are known.
   */
  take(maxEvents: number, maxBytes: number): QueuedEvent[] {
    const taken: QueuedEvent[] = [];
    const request = ++this.#requests;
    let bytes = ENVELOPE_BYTES;
    const takes = (event: QueuedEvent): boolean => {
      bytes += event.bytes + 1;
      // One event always fits: the service decides whether it is too large.
      if (taken.length > 0 && (taken.length >= maxEvents || bytes > maxBytes)) return false;
      taken.push(event);
      return true;
    };
    if (this.#takeReturned(request, takes)) this.#takeWaiting(request, takes);
    return taken;
  }

  /** The request of these events is answered: what waits behind it may follow. */
  release(events: readonly QueuedEvent[]): void {
    for (const { key } of events) {
      const lane = this.#lanes.get(key);
      // Undefined or 0: the key was in the request more than once.
      if (lane === undefined || lane.request === 0) continue;
      if (lane.behind === undefined) {
        this.#lanes.delete(key);
      } else {
        lane.request = 0;
        this.#returned.push(key);
      }
    }
  }

  /** @returns whether the request has room for more */
  #takeReturned(request: number, takes: (event: QueuedEvent) => boolean): boolean {
    for (let key = this.#returned.peek(); key !== undefined; key = this.#returned.peek()) {
      const lane = this.#lanes.get(key) as Lane;
      for (let event = lane.behind?.peek(); event !== undefined; event = lane.behind?.peek()) {
        if (!takes(event)) {
          // The rest of this key goes with a later request, behind this one if this one has some of it.
          if (lane.request === request) this.#returned.shift();
          return false;
        }
        lane.behind?.shift();
        lane.request = request;
      }
      lane.behind = undefined;
      this.#returned.shift();
    }
    return true;
  }

  #takeWaiting(request: number, takes: (event: QueuedEvent) => boolean): void {
    for (let event = this.#waiting.peek(); event !== undefined; event = this.#waiting.peek()) {
      const lane = this.#lanes.get(event.key);
      if (lane !== undefined && lane.request !== request) {
        lane.behind ??= new Fifo();
        lane.behind.push(event);
      } else if (!takes(event)) {
        return;
      } else if (lane === undefined) {
        this.#lanes.set(event.key, { request, behind: undefined });
      }
      this.#waiting.shift();
      this.#waitingBytes -= event.bytes + 1;
    }
  }
}
