import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { HEADERS, type Hop } from "#contract";
import { publishOrThrow, type Stream, streamName, subjectName } from "#nats";

/** A stream message that is ready, and how many entries it has. */
export interface PackedMessage {
  readonly payload: string;
  readonly entries: number;
}

/** Publications without an answer yet; one connection keeps their order. */
const IN_FLIGHT = 64;

/** `{"v":1,"<field>":[…]}`, so many entries in each, as our services pack them. */
export function packEntries(field: string, entries: readonly string[], perMessage: number): PackedMessage[] {
  const messages: PackedMessage[] = [];
  for (let at = 0; at < entries.length; at += perMessage) {
    const chunk = entries.slice(at, at + perMessage);
    messages.push({ payload: `{"v":1,"${field}":[${chunk.join(",")}]}`, entries: chunk.length });
  }
  return messages;
}

/** Fills a hop's stream. @throws PublishError when it does not take them all */
export async function publishPacked(
  stream: Stream,
  hop: Hop,
  messages: readonly PackedMessage[],
): Promise<void> {
  // What fills the stream next must not pass for a repetition.
  const fill = randomUUID();
  for (let at = 0; at < messages.length; at += IN_FLIGHT) {
    const window = messages.slice(at, at + IN_FLIGHT).map(({ payload, entries }, i) =>
      publishOrThrow(stream, {
        subject: subjectName(stream, hop),
        payload,
        id: `${fill}-${at + i}`,
        headers: { [HEADERS.rows]: String(entries) },
      }),
    );
    await Promise.all(window);
  }
}

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
