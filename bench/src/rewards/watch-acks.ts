import { setTimeout as delay } from "node:timers/promises";
import type { Hop } from "#contract";
import { type Stream, streamName } from "#nats";
import type { PackedMessage } from "./publish-packed.ts";

/** How fast a consumer worked through what lay in its stream. */
export interface Pace {
  readonly entries: number;
  /** From the first acknowledgement to the last. */
  readonly seconds: number;
  /** Without those of the first batch, which were handled before the first acknowledgement. */
  readonly perSecond: number;
}

const ACK_SUBJECT = "$JS.ACK.>";
const POLL_MS = 20;
/** Nothing is acknowledged for so long: it will not be. */
const STALL_MS = 60_000;
/** The acknowledgements of one batch come together; two batches are farther apart. */
const SAME_BATCH_MS = 3;
const DECODER = new TextDecoder();

/**
 * Notes when each message is acknowledged, by listening to the acknowledgements themselves: they are messages like others,
 * and whoever subscribes gets a copy. Asking the server for its counts would cost it time, and say less.
 */
export class AckWatch {
  readonly #atMs = new Map<number, number>();
  readonly #end: () => void;

  constructor(stream: Stream, hop: Hop) {
    const name = streamName(stream, hop);
    const subscription = stream.nats.subscribe(ACK_SUBJECT, {
      callback: (_error, { subject, data }) => {
        const said = DECODER.decode(data);
        if (said !== "" && said !== "+ACK") return;
        // $JS.ACK.[domain.account.]<stream>.<consumer>.<deliveries>.<sequence in the stream>.…
        const tokens = subject.split(".");
        const at = tokens.indexOf(name);
        if (at < 0) return;
        const sequence = Number(tokens[at + 3]);
        if (!this.#atMs.has(sequence)) this.#atMs.set(sequence, performance.now());
      },
    });
    this.#end = () => subscription.unsubscribe();
  }

  /**
   * Waits for all of them.
   * @param messages all that the stream got, in their order
   * @param first sequence of the first
   */
  async whenAll(messages: readonly PackedMessage[], first = 1): Promise<Pace> {
    let known = 0;
    let movedMs = performance.now();
    while (this.#atMs.size < messages.length) {
      await delay(POLL_MS);
      if (this.#atMs.size !== known) {
        known = this.#atMs.size;
        movedMs = performance.now();
      } else if (performance.now() - movedMs > STALL_MS) {
        throw new Error(`${known} of ${messages.length} messages are acknowledged, and no more come`);
      }
    }
    this.#end();
    return paceOf(
      [...this.#atMs].map(([sequence, atMs]) => ({ atMs, ...entriesOf(messages, sequence - first) })),
    );
  }
}

function entriesOf(messages: readonly PackedMessage[], at: number): { readonly entries: number } {
  const message = messages[at];
  if (message === undefined) throw new Error(`message ${at} was never published`);
  return message;
}

function paceOf(acks: ReadonlyArray<{ readonly atMs: number; readonly entries: number }>): Pace {
  const firstMs = Math.min(...acks.map(({ atMs }) => atMs));
  const lastMs = Math.max(...acks.map(({ atMs }) => atMs));
  const sum = (of: typeof acks) => of.reduce((total, { entries }) => total + entries, 0);
  const seconds = (lastMs - firstMs) / 1000;
  const later = sum(acks.filter(({ atMs }) => atMs > firstMs + SAME_BATCH_MS));
  return { entries: sum(acks), seconds, perSecond: seconds === 0 ? 0 : later / seconds };
}
