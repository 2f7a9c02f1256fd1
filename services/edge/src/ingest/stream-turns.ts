import { LIMITS } from "#contract";
import type { PartKey } from "#contract/ingest";
import { addTo } from "#domain";
import type { Slice } from "./ingest-request.ts";

/** How often slices are released that have waited too long. */
const SWEEP_MS = 100;

/** Events in the stream that ingest has not reported. */
interface Ahead {
  readonly organisation: string;
  readonly events: number;
  readonly since: number;
}

/**
 * Sends the slices of organisations to the stream in turns. Ingest reads a partition in order, so everything
 * in the stream comes before all later events. Therefore, while several organisations send, each has a
 * bounded number of unreported events in the stream, and its other events wait here. A new event of a quiet
 * organisation then waits for that number, and not for everything that a loud one has sent.
 *
 * A single organisation never waits. The slices of one organisation are sent in the order in which they came.
 *
 * Waiting slices depend on reports of ingest, which may get lost, or not come because ingest is away. So an
 * event counts as reported after `LIMITS.aheadMs`, and no slice waits once its request is that old. The stream still
 * accepts events that ingest does not, and a request is answered 202 in time.
 */
export class StreamTurns {
  readonly #send: (slice: Slice) => void;
  readonly #now: () => number;
  /** By part, the oldest first. */
  readonly #ahead = new Map<string, Ahead>();
  readonly #aheadOf = new Map<string, number>();
  #total = 0;
  /** By organisation, in the order of their turns. No list is empty. */
  readonly #held = new Map<string, Slice[]>();
  /** The organisation that sent last, and another one that sent last before it. */
  #last: { organisation: string; at: number } | undefined;
  #other: { organisation: string; at: number } | undefined;
  #sweeper: NodeJS.Timeout | undefined;

  /**
   * @param send receives a slice when its turn comes
   * @param now milliseconds of a clock that only goes forward
   */
  constructor(send: (slice: Slice) => void, now: () => number = () => performance.now()) {
    this.#send = send;
    this.#now = now;
  }

  add(slice: Slice): void {
    const { organisation } = slice.request;
    this.#meet(organisation);
    const held = this.#held.get(organisation);
    if (this.#isOld(slice) || (held === undefined && this.#mayLeave(slice))) {
      this.#leave(slice);
      return;
    }
    addTo(this.#held, organisation, slice);
    this.#sweeper ??= setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Notes that ingest has reported these parts. */
  reported(parts: Iterable<PartKey>): void {
    let isAny = false;
    for (const key of parts) isAny = this.#forget(keyOf(key)) || isAny;
    if (isAny) this.#takeTurns();
  }

  /** Notes that the stream has refused this slice. */
  refused(slice: Slice): void {
    this.reported([partOf(slice)]);
  }

  /** Removes and returns the waiting slices. */
  takeHeld(): Slice[] {
    const slices = [...this.#held.values()].flat();
    this.#held.clear();
    this.#stopSweeping();
    return slices;
  }

  /** Sends the slices that have waited too long. */
  sweep(): void {
    this.#forgetOld();
    for (const [organisation, slices] of this.#held) {
      const first = slices.findIndex((slice) => !this.#isOld(slice));
      const old = first < 0 ? slices.splice(0) : slices.splice(0, first);
      if (slices.length === 0) this.#held.delete(organisation);
      for (const slice of old) this.#leave(slice);
    }
    this.#takeTurns();
  }

  #meet(organisation: string): void {
    const at = this.#now();
    if (this.#last !== undefined && this.#last.organisation !== organisation) this.#other = this.#last;
    this.#last = { organisation, at };
  }

  get #isShared(): boolean {
    return this.#other !== undefined && this.#now() - this.#other.at < LIMITS.organisationActiveMs;
  }

  #mayLeave({ request, indexes }: Slice): boolean {
    const own = this.#aheadOf.get(request.organisation) ?? 0;
    if (own === 0 || !this.#isShared) return true;
    return own + indexes.length <= Math.max(LIMITS.smallRequestEvents, LIMITS.eventsAhead - this.#total);
  }

  #isOld({ request }: Slice): boolean {
    return this.#now() - request.startedAt >= LIMITS.aheadMs;
  }

  #leave(slice: Slice): void {
    // Its caller may have got an answer meanwhile.
    if (slice.request.isSettled) return;
    this.#forgetOld();
    const { organisation } = slice.request;
    const events = slice.indexes.length;
    this.#ahead.set(keyOf(partOf(slice)), { organisation, events, since: this.#now() });
    this.#aheadOf.set(organisation, (this.#aheadOf.get(organisation) ?? 0) + events);
    this.#total += events;
    this.#send(slice);
  }

  /** Sends one slice of each organisation after the other, until no organisation may send more. */
  #takeTurns(): void {
    let left = this.#held.size;
    while (left > 0) {
      const [organisation, slices] = this.#held.entries().next().value as [string, Slice[]];
      const slice = slices[0] as Slice;
      this.#held.delete(organisation);
      left--;
      if (slice.request.isSettled || this.#mayLeave(slice)) {
        slices.shift();
        this.#leave(slice);
        left = this.#held.size + (slices.length > 0 ? 1 : 0);
      }
      if (slices.length > 0) this.#held.set(organisation, slices);
    }
    if (this.#held.size === 0) this.#stopSweeping();
  }

  #forgetOld(): void {
    const until = this.#now() - LIMITS.aheadMs;
    for (const [key, { since }] of this.#ahead) {
      if (since > until) return;
      this.#forget(key);
    }
  }

  #forget(key: string): boolean {
    const ahead = this.#ahead.get(key);
    if (ahead === undefined) return false;
    this.#ahead.delete(key);
    const left = (this.#aheadOf.get(ahead.organisation) as number) - ahead.events;
    if (left > 0) this.#aheadOf.set(ahead.organisation, left);
    else this.#aheadOf.delete(ahead.organisation);
    this.#total -= ahead.events;
    return true;
  }

  #stopSweeping(): void {
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}

function partOf({ request, indexes }: Slice): PartKey {
  return [request.batch, indexes[0] as number];
}

function keyOf([batch, first]: PartKey): string {
  return `${batch} ${first}`;
}
