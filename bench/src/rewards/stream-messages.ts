import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { HEADERS, type Hop } from "#contract";
import { publishOrThrow, readPartitions, type Stream, subjectName } from "#nats";
import type { ServiceProcess } from "../kit/processes.ts";

/** A prepared stream message, and its number of entries. */
export interface PackedMessage {
  readonly payload: string | Uint8Array;
  readonly entries: number;
}

/** Publications without an answer yet; one connection keeps their order. */
const IN_FLIGHT = 64;

/** `{"v":1,"<field>":[…]}`, with this many entries in each, like those of our services. */
export function packEntries(field: string, entries: readonly string[], perMessage: number): PackedMessage[] {
  return cutEntries(entries, perMessage, (chunk) => `{"v":1,"${field}":[${chunk.join(",")}]}`);
}

export function cutEntries<T>(
  entries: readonly T[],
  perMessage: number,
  pack: (chunk: readonly T[]) => PackedMessage["payload"],
): PackedMessage[] {
  const messages: PackedMessage[] = [];
  for (let at = 0; at < entries.length; at += perMessage) {
    const chunk = entries.slice(at, at + perMessage);
    messages.push({ payload: pack(chunk), entries: chunk.length });
  }
  return messages;
}

/** Fills the streams of a hop, in turn. @throws PublishError if they do not accept all of them */
export async function publishPacked(
  stream: Stream,
  hop: Hop,
  messages: readonly PackedMessage[],
): Promise<void> {
  // Later messages for the stream must not count as repetitions.
  const fill = randomUUID();
  const partitions = await readPartitions(stream);
  for (let at = 0; at < messages.length; at += IN_FLIGHT) {
    const window = messages.slice(at, at + IN_FLIGHT).map(({ payload, entries }, i) =>
      publishOrThrow(stream, {
        subject: subjectName(stream, hop, (at + i) % partitions),
        payload,
        id: `${fill}-${at + i}`,
        headers: { [HEADERS.rows]: String(entries) },
      }),
    );
    await Promise.all(window);
  }
}

/** The rate of a consumer for a full stream. */
export interface Pace {
  readonly entries: number;
  /** From the first look that found a finished message to the one that found all finished. */
  readonly seconds: number;
  /** Without those that the first look found. */
  readonly perSecond: number;
}

const POLL_MS = 20;
/** If nothing is done for this long, it will not be. */
const STALL_MS = 60_000;

/** Looks at the process's own counter, until all these messages are done. */
export async function whenDone(
  service: ServiceProcess,
  hop: Hop,
  messages: readonly PackedMessage[],
): Promise<Pace> {
  const begunMs = performance.now();
  let first: { readonly atMs: number; readonly done: number } | undefined;
  let known = 0;
  let movedMs = begunMs;
  while (known < messages.length) {
    await delay(POLL_MS);
    const done = doneIn(await service.metrics(), hop);
    const atMs = performance.now();
    if (done > known) {
      known = done;
      movedMs = atMs;
      first ??= { atMs, done };
    } else if (atMs - movedMs > STALL_MS) {
      throw new Error(`${known} of ${messages.length} messages are done, and no more are`);
    }
  }
  const entries = messages.reduce((sum, message) => sum + message.entries, 0);
  // All of them at the first look: earlier work is in the time then.
  const since = first === undefined || first.done === known ? { atMs: begunMs, done: 0 } : first;
  const seconds = (movedMs - since.atMs) / 1000;
  return { entries, seconds, perSecond: (entries * (1 - since.done / known)) / seconds };
}

/** Messages of the hop that the process has done. */
function doneIn(metrics: string, { stream, consumer }: Hop): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(`stampede_${consumer}_messages_total{`));
  const own = lines.filter((line) => line.includes('outcome="done"') && isOf(line, stream));
  return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

/** The platform reads one hop, and does not name it. */
function isOf(line: string, stream: string): boolean {
  return !line.includes('hop="') || line.includes(`hop="${stream}"`);
}
