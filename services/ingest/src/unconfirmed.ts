import { uuidv7 } from "uuidv7";
import { CONFIRM_SUBJECT, LIMITS } from "#contract";
import type { IngestConfirmation, IngestReply, PartKey, PartOutcome } from "#contract/ingest";
import { hasListener, type Stream, subscribeReplies } from "#nats";
import type { LatePart } from "./report.ts";

/** How often it is looked for parts of which the edge has to be asked. */
const SWEEP_MS = 250;
/** Parts that are reported again in one message. */
const PARTS_AT_ONCE = 100;

/** A part as it was reported, and what is recorded of it should its caller not be told. */
export interface UnconfirmedPart {
  /** Subject of the edge process that has the report. */
  readonly reply: string;
  readonly outcome: PartOutcome;
  readonly part: LatePart;
}

interface Waiting extends UnconfirmedPart {
  /** When the edge is asked next, by this process's monotonic clock. */
  nextAt: number;
  /** Times that it was asked again. */
  asked: number;
  readonly since: number;
  readonly settled: () => void;
}

/**
 * The parts whose outcome went to an edge and of which the edge has not said yet what it told its caller. "told" ends it; what
 * the edge told otherwise is recorded: `onLate` gets it. An edge that says nothing is told the outcome again and again, for
 * the report or the confirmation may have been lost with a connection, and it remembers what it told. When nobody listens
 * there any more, or nothing comes for a minute, the part is recorded.
 *
 * Crashes thought of: this process dies, and its successor finds the messages among what is unreported, reports again and
 * waits anew. The edge dies between its answer and the confirmation, or is cut off for longer than a minute: the part is
 * recorded although its caller was told. So a rejection may be told twice, and never not at all.
 */
export class Unconfirmed {
  readonly subject: string;
  readonly #stream: Stream;
  readonly #onLate: (part: LatePart, recorded: () => void) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;

  /** @param onLate records a part, and calls `recorded` when it is durable */
  constructor(stream: Stream, onLate: (part: LatePart, recorded: () => void) => void) {
    this.#stream = stream;
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
  expect(unconfirmed: UnconfirmedPart, settled: () => void): void {
    const { batchId, firstEvent } = unconfirmed.part;
    const since = performance.now();
    const waiting = { ...unconfirmed, since, nextAt: since + LIMITS.confirmRepeatMs, asked: 0, settled };
    // One that is there already is of this very process before it lost the partition: nobody minds it any more.
    this.#waiting.set(keyOf([batchId, firstEvent]), waiting);
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

  /** Without a connection nobody can be asked, and nobody who listens can be found missing. */
  #sweep(): void {
    if (!this.#stream.connected()) return;
    const now = performance.now();
    const due = new Map<string, [key: string, waiting: Waiting][]>();
    for (const [key, waiting] of this.#waiting) {
      if (waiting.nextAt > now) continue;
      waiting.nextAt = now + LIMITS.confirmRepeatMs;
      if (++waiting.asked > LIMITS.confirmRepeats) this.#record(key);
      else due.set(waiting.reply, [...(due.get(waiting.reply) ?? []), [key, waiting]]);
    }
    for (const [reply, parts] of due) {
      for (let at = 0; at < parts.length; at += PARTS_AT_ONCE) {
        void this.#ask(reply, parts.slice(at, at + PARTS_AT_ONCE));
      }
    }
  }

  /** Reports once more. Whoever has just reconnected may be missed for a moment, so one miss is not enough. */
  async #ask(reply: string, parts: readonly (readonly [key: string, waiting: Waiting])[]): Promise<void> {
    const again: IngestReply = { confirm: this.subject, parts: parts.map(([, { outcome }]) => outcome) };
    if (await hasListener(this.#stream, reply, JSON.stringify(again))) return;
    const now = performance.now();
    for (const [key, waiting] of parts) {
      const isStill = this.#waiting.get(key) === waiting;
      if (isStill && now - waiting.since >= LIMITS.confirmWaitMs) this.#record(key);
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
