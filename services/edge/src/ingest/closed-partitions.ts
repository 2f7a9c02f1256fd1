import type { Slice } from "./ingest-request.ts";

/** Why a partition accepts no new events. */
interface Closed {
  reason: string;
  /** Measured by the clock `now`. */
  until: number;
  /** Slices that must be stored there before new ones. */
  readonly waiting: Set<Slice>;
}

/**
 * Whether a request may be published, and which of its partitions must first prove that they have room again.
 */
export type Admission = { readonly refusal: string } | { readonly probes: ReadonlySet<number> };

const OPEN: Admission = { probes: new Set() };

/**
 * Partitions whose stream has just refused a message or does not answer. A request with events for one of
 * them is refused before anything of it is published: otherwise its events for other partitions would be
 * stored and take up their room, and the request could be answered neither 200 nor 503.
 *
 * Such a partition is closed for a moment. Then one request may try it, and sends its events for other
 * partitions only once the first slice is stored. A partition also stays closed while the rest of a
 * half-stored request waits for it: new events must not take the room that this rest needs.
 */
export class ClosedPartitions {
  readonly #forMs: number;
  readonly #now: () => number;
  readonly #closed = new Map<number, Closed>();

  /** @param forMs how long a partition stays closed after a refusal */
  constructor(forMs: number, now: () => number = () => performance.now()) {
    this.#forMs = forMs;
    this.#now = now;
  }

  get size(): number {
    return this.#closed.size;
  }

  /** Closes the partition, because its stream refused a message. */
  refused(partition: number, reason: string): void {
    const closed = this.#close(partition, reason);
    closed.until = this.#now() + this.#forMs;
  }

  /** Closes the partition until this slice is stored, or its caller has been answered. */
  waitFor(slice: Slice, reason: string): void {
    this.#close(slice.partition, reason).waiting.add(slice);
  }

  stored(slice: Slice): void {
    const closed = this.#closed.get(slice.partition);
    if (closed === undefined) return;
    closed.waiting.delete(slice);
    closed.until = 0;
    if (!isWaitedFor(closed)) this.#closed.delete(slice.partition);
  }

  /** Why none of the partitions, which are this many, accepts messages now; undefined: one of them may. */
  allClosed(partitions: number): string | undefined {
    if (this.#closed.size < partitions) return undefined;
    const now = this.#now();
    let reason: string | undefined;
    for (const closed of this.#closed.values()) {
      if (!isShut(closed, now)) return undefined;
      reason = closed.reason;
    }
    return reason;
  }

  /** @param partitions the partitions of the request's events */
  admit(partitions: Iterable<number>): Admission {
    if (this.#closed.size === 0) return OPEN;
    const now = this.#now();
    const probes = new Set<number>();
    for (const partition of partitions) {
      const closed = this.#closed.get(partition);
      if (closed === undefined) continue;
      if (isShut(closed, now)) return { refusal: closed.reason };
      probes.add(partition);
    }
    // One request at a time tries a partition, until the outcome is known.
    for (const partition of probes) (this.#closed.get(partition) as Closed).until = now + this.#forMs;
    return { probes };
  }

  #close(partition: number, reason: string): Closed {
    let closed = this.#closed.get(partition);
    if (closed === undefined) {
      closed = { reason, until: 0, waiting: new Set() };
      this.#closed.set(partition, closed);
    }
    closed.reason = reason;
    return closed;
  }
}

function isShut(closed: Closed, now: number): boolean {
  return now < closed.until || isWaitedFor(closed);
}

function isWaitedFor({ waiting }: Closed): boolean {
  for (const slice of waiting) {
    if (slice.request.isSettled) waiting.delete(slice);
  }
  return waiting.size > 0;
}
