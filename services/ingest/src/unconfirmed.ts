import { uuidv7 } from "uuidv7";
import { CONFIRM_SUBJECT, type IngestConfirmation, LIMITS, type PartKey } from "#contract";
import { type Stream, subscribeReplies } from "#stream";
import type { LatePart } from "./report.ts";

/** How often it is looked for parts that nobody has confirmed in time. */
const SWEEP_MS = 250;

interface Waiting {
  readonly part: LatePart;
  /** By this process's monotonic clock. */
  readonly until: number;
  readonly settled: () => void;
}

/**
 * The parts whose outcome went to an edge and of which the edge has not said yet what it told its caller. "told" ends it. What
 * the edge told otherwise, or does not confirm in time because it is gone, cut off or frozen, is recorded: `onLate` gets it.
 *
 * Crashes thought of: this process dies, and its successor finds the messages among what is unreported, reports again and
 * waits anew; a confirmation gets lost, and the part is recorded although its caller was told: told twice, never not at all.
 */
export class Unconfirmed {
  readonly subject: string;
  readonly #onLate: (part: LatePart, recorded: () => void) => void;
  /** In the order in which they run out. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;

  /** @param onLate records a part, and calls `recorded` when it is durable */
  constructor(stream: Stream, onLate: (part: LatePart, recorded: () => void) => void) {
    this.subject = `${stream.prefix}${CONFIRM_SUBJECT}.${uuidv7()}`;
    this.#onLate = onLate;
    this.#unsubscribe = subscribeReplies(stream, this.subject, (data) => this.#receive(data));
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  /** How many parts wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** @param settled is called once the part needs nobody's attention any more */
  expect(part: LatePart, settled: () => void): void {
    const key = keyOf([part.batchId, part.firstEvent]);
    // Taken over anew by this very process: the report before is nobody's any more.
    this.#waiting.delete(key);
    this.#waiting.set(key, { part, until: performance.now() + LIMITS.confirmWaitMs, settled });
  }

  /** What still waits is left to whoever takes the partitions over. */
  stop(): void {
    this.#unsubscribe();
    clearInterval(this.#timer);
    this.#waiting.clear();
  }

  #receive(data: Uint8Array): void {
    const { told, late } = JSON.parse(Buffer.from(data).toString("utf8")) as IngestConfirmation;
    for (const key of told) this.#take(keyOf(key))?.settled();
    for (const key of late) this.#record(keyOf(key));
  }

  #sweep(): void {
    const now = performance.now();
    for (const [key, { until }] of this.#waiting) {
      if (until > now) return;
      this.#record(key);
    }
  }

  #record(key: string): void {
    const waiting = this.#take(key);
    if (waiting !== undefined) this.#onLate(waiting.part, waiting.settled);
  }

  #take(key: string): Waiting | undefined {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }
}

function keyOf([batch, first]: PartKey): string {
  return `${batch} ${first}`;
}
