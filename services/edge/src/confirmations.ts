import { LIMITS } from "#contract";
import type { IngestConfirmation, PartKey } from "#contract/ingest";
import { RecentSet } from "#domain";
import { type Stream, sendReply } from "#nats";

/** A part whose reporter wants to know what became of its report. */
export interface AskedPart {
  /** Subject of the ingest process that sent the report. */
  readonly confirm: string;
  readonly key: PartKey;
}

/** Ingest keeps what is not confirmed with its position, which it writes with every batch: not for long. */
export const GATHER_MS = 20;

type Verdict = keyof IngestConfirmation;

/**
 * Tells ingest which of its reports went into an answer. Ingest records the outcomes that no caller was told, and only
 * this process knows which those are.
 *
 * Confirmations gather until this process has something else to say, or for a moment: one message for each ingest process,
 * however many requests, and in the same write as the next events.
 * Ingest counts a confirmation that gets lost as "late", and so the missing one of an edge that died: the caller may then
 * be told twice, but is never told nothing.
 */
export class Confirmations {
  readonly #stream: Stream;
  readonly #gathered = new Map<string, Record<Verdict, PartKey[]>>();
  /**
   * Batches whose callers have their outcome. Those with rejections are kept apart, so that many others do not push them
   * out: a rejection that is recorded is told again by a webhook.
   */
  readonly #told = { rejected: new RecentSet(LIMITS.toldBatches), other: new RecentSet(LIMITS.toldBatches) };

  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** The answer that has just been decided tells these outcomes. */
  told(batch: string, asked: readonly AskedPart[], anyRejected: boolean): void {
    this.#told[anyRejected ? "rejected" : "other"].add(batch);
    for (const part of asked) this.#add("told", part);
  }

  /** The caller was, or will be, told something else. */
  late(asked: readonly AskedPart[]): void {
    for (const part of asked) this.#add("late", part);
  }

  /** A report on a request that is not open: it is answered by now, or belonged to a process before this one. */
  again(asked: AskedPart): void {
    const [batch] = asked.key;
    const isTold = this.#told.rejected.has(batch) || this.#told.other.has(batch);
    this.#add(isTold ? "told" : "late", asked);
  }

  #add(verdict: Verdict, { confirm, key }: AskedPart): void {
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    let gathered = this.#gathered.get(confirm);
    if (gathered === undefined) {
      gathered = { told: [], late: [] };
      this.#gathered.set(confirm, gathered);
    }
    gathered[verdict].push(key);
  }

  /** Sends what is gathered. Also to be called at the end, before the connection closes. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [confirm, gathered] of this.#gathered) {
      for (const message of cut(gathered)) sendReply(this.#stream, confirm, JSON.stringify(message));
    }
    this.#gathered.clear();
  }
}

function* cut({ told, late }: IngestConfirmation): Generator<IngestConfirmation> {
  for (const keys of shares(told)) yield { told: keys, late: [] };
  for (const keys of shares(late)) yield { told: [], late: keys };
}

function* shares(keys: readonly PartKey[]): Generator<readonly PartKey[]> {
  for (let start = 0; start < keys.length; start += LIMITS.partsPerConfirmation) {
    yield keys.slice(start, start + LIMITS.partsPerConfirmation);
  }
}
