import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery, Draft } from "./delivery.ts";
import { type ImportMap, PLAIN_MAP } from "./import-map.ts";
import type { Input } from "./input.ts";
import type { Ledger } from "./ledger.ts";
import { type MappedRow, RowMapper } from "./map-row.ts";
import { openRows, type RowReader } from "./read-rows.ts";
import type { RowAt } from "./row-result.ts";
import type { SourceRow } from "./source-row.ts";

interface FeedOptions {
  readonly inputs: readonly Input[];
  readonly map: ImportMap | undefined;
  /** Whether rows name members by ref. */
  readonly byRef: boolean;
  /** The first input, and the number of its rows that are done. */
  readonly from: { readonly input: number; readonly rows: number };
  readonly pace: Pace | undefined;
  readonly ledger: Ledger;
  /** Undefined for a dry run. */
  readonly delivery: Delivery | undefined;
  /** Called between rows; throws what failed meanwhile. */
  readonly check: () => Promise<void> | undefined;
}

/** Reads the inputs one after the other, turns their rows into events, and hands these over in order. */
export class Feed {
  readonly #options: FeedOptions;
  #input: number;
  #rowsRead = 0;
  #reader: RowReader | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#input = options.from.input;
  }

  /** The share of all inputs that is done, from 0 to 1; undefined if the size of one is unknown. */
  share(): number | undefined {
    let total = 0;
    let done = 0;
    for (const [i, { identity }] of this.#options.inputs.entries()) {
      if (identity.size === null) return undefined;
      total += identity.size;
      if (i < this.#input) done += identity.size;
      if (i === this.#input) done += identity.size * this.#shareOfInput();
    }
    return total === 0 ? 1 : Math.min(1, done / total);
  }

  #shareOfInput(): number {
    if (this.#reader === undefined || this.#rowsRead === 0) return 0;
    const shareRead = this.#reader.shareRead() ?? 0;
    return shareRead * Math.max(0, 1 - this.#options.ledger.size / this.#rowsRead);
  }

  /** Resolves when every row is handed over, or the signal has aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { inputs, from } = this.#options;
    for (const [i, input] of inputs.entries()) {
      if (i < from.input || signal.aborted) continue;
      this.#input = i;
      await this.#readInput(input, i === from.input ? from.rows : 0, signal);
    }
  }

  async #readInput(input: Input, skip: number, signal: AbortSignal): Promise<void> {
    const { map, byRef } = this.#options;
    // Without a map a row of a JSON file is an event already.
    const own = map ?? (input.format === "jsonl" ? undefined : PLAIN_MAP);
    const mapper = new RowMapper(own, byRef);
    const reader = openRows(input, map);
    this.#reader = reader;
    this.#rowsRead = skip;
    try {
      const batches = reader.rows(skip);
      for (;;) {
        // A pipe may be silent for ever: an import that is stopped does not wait for its next row.
        const next = await untilAborted(batches.next(), signal);
        if (next === undefined) return;
        if (next.done) return await input.checkUnchanged();
        const rows = next.value;
        const mapped = rows.map((row) => mapRow(mapper, row));
        const drafts = mapped.filter((row): row is Draft => "event" in row);
        const refused = await untilAborted(this.#options.delivery?.resolve(drafts), signal);
        for (const [i, row] of rows.entries()) {
          if (signal.aborted) return;
          const one = mapped[i] as MappedRow;
          const rejection = "event" in one ? refused?.get(one.event) : undefined;
          await this.#handOver(row, rejection === undefined ? one : { rejection }, signal);
        }
      }
    } finally {
      this.#reader = undefined;
      input.close();
    }
  }

  async #handOver({ line, row }: SourceRow, mapped: MappedRow, signal: AbortSignal): Promise<void> {
    const { ledger, delivery, pace, check } = this.#options;
    const room = ledger.room();
    if (room !== undefined) await room;
    const waitMs = "event" in mapped ? (pace?.takeTurn(performance.now()) ?? 0) : 0;
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
    const checked = check();
    if (checked !== undefined) await checked;
    // Before the row is in the ledger: rows that are not will be read again.
    if (signal.aborted) return;
    this.#rowsRead++;
    const at: RowAt = { input: this.#input, ordinal: this.#rowsRead, line, row };
    const entry = ledger.open(at);
    if (!("event" in mapped)) {
      ledger.settle(entry, { outcome: "rejected", rejection: mapped.rejection });
    } else if (delivery === undefined) {
      ledger.settle(entry, { outcome: "valid" });
    } else {
      await delivery.send(mapped.event, entry);
    }
  }
}

function mapRow(mapper: RowMapper, { row, fault }: SourceRow): MappedRow {
  if (fault === undefined) return mapper.map(row);
  return { rejection: { code: "unreadable", reason: fault } };
}

/** The result of the work; undefined if the signal aborts before. */
async function untilAborted<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  if (work === undefined) return undefined;
  let stop = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    // It may still fail after the signal has aborted.
    work.catch(() => {});
  }
}

/** After a pause, the events of this time may go at once: timers are not more exact. */
const BURST_MS = 50;

/** Spaces events out to a rate. */
export class Pace {
  readonly #gapMs: number;
  #nextAt = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  /**
   * Takes the next event's turn.
   * @param nowMs of a clock that only goes forward
   * @returns how long it has to wait, in milliseconds
   */
  takeTurn(nowMs: number): number {
    const at = Math.max(this.#nextAt, nowMs - BURST_MS);
    this.#nextAt = at + this.#gapMs;
    return Math.max(0, at - nowMs);
  }
}
