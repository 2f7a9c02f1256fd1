import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "#client";
import type { RowResult } from "./row-result.ts";

/** The part of the answer of `transaction.batch/get` that is read. */
export type BatchAnswer = Pick<
  Answer<"transaction.batch/get">,
  "status" | "rejected" | "ignored" | "ignored_total"
>;

/** An event of a batch that waits for its result. */
interface Waiting {
  readonly externalId: string;
  readonly settle: (result: RowResult) => void;
}

/** Batches that are asked for at the same time. */
const ASKERS = 4;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

/**
 * Finds out the results of events that were answered 202: asks for each batch, the oldest first, until it is processed. The
 * ledger bounds how many wait.
 */
export class BatchOutcomes {
  readonly #ask: (batchId: string) => Promise<BatchAnswer>;
  readonly #failed: (error: unknown) => void;
  readonly #unlisted: (events: number) => void;
  readonly #signal: AbortSignal;
  readonly #batches = new Map<string, Waiting[]>();
  readonly #askers = new Set<Promise<void>>();
  #hasFailed = false;

  /**
   * @param failed called if a batch could not be asked for
   * @param unlisted called with the number of events that have ignored fields and are not listed
   * @param signal ends all asking
   */
  constructor(
    ask: (batchId: string) => Promise<BatchAnswer>,
    failed: (error: unknown) => void,
    unlisted: (events: number) => void,
    signal: AbortSignal,
  ) {
    this.#ask = ask;
    this.#failed = failed;
    this.#unlisted = unlisted;
    this.#signal = signal;
  }

  /** Call it for the events of a batch in the order of its request, all in one turn of the event loop. */
  add(batchId: string, waiting: Waiting): void {
    const batch = this.#batches.get(batchId);
    if (batch !== undefined) {
      batch.push(waiting);
      return;
    }
    this.#batches.set(batchId, [waiting]);
    if (this.#askers.size < ASKERS) this.#start();
  }

  /** Resolves when the result of every added event is known, asking has failed, or the signal has aborted. */
  async drained(): Promise<void> {
    for (;;) {
      await Promise.all(this.#askers);
      // A batch that came while the askers were ending has none.
      if (this.#batches.size === 0 || this.#hasFailed || this.#signal.aborted) return;
      this.#start();
    }
  }

  #start(): void {
    const asker = this.#run().finally(() => this.#askers.delete(asker));
    this.#askers.add(asker);
  }

  async #run(): Promise<void> {
    // The events of the batch are added one by one, in this turn of the event loop.
    await sleep(FIRST_WAIT_MS);
    for (const [batchId, batch] of this.#batches) {
      this.#batches.delete(batchId);
      try {
        const answer = await this.#untilProcessed(batchId);
        if (answer === undefined) return;
        settle(batch, answer);
        const { ignored = [], ignored_total = 0 } = answer;
        if (ignored_total > ignored.length) this.#unlisted(ignored_total - ignored.length);
      } catch (error) {
        this.#hasFailed = true;
        this.#failed(error);
        return;
      }
    }
  }

  async #untilProcessed(batchId: string): Promise<BatchAnswer | undefined> {
    for (let wait = FIRST_WAIT_MS; !this.#signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const answer = await this.#ask(batchId);
      if (answer.status === "processed") return answer;
      // The checkpoint does not include it, so a resume sends it again.
      if (answer.status === "lost") throw new Error("a batch was lost with its stream; resume the import");
      await sleep(wait, undefined, { signal: this.#signal }).catch(() => {});
    }
    return undefined;
  }
}

/** By index, because an `external_id` may occur several times. */
function settle(batch: readonly Waiting[], { rejected, ignored = [] }: BatchAnswer): void {
  const byIndex = new Map(rejected.map((one) => [one.index, one]));
  const fieldsOf = new Map(ignored.map(({ index, fields }) => [index, fields]));
  for (const [index, { externalId, settle: tell }] of batch.entries()) {
    const refused = byIndex.get(index);
    if (refused === undefined) {
      const fields = fieldsOf.get(index);
      tell({ outcome: "applied", ...(fields !== undefined && { ignored: fields }) });
      continue;
    }
    if (refused.external_id !== externalId) throw new Error("a batch is not in the order of its request");
    const { index: _, external_id: __, ...rejection } = refused;
    tell({ outcome: "rejected", rejection });
  }
}
