import type { Hop } from "#contract";
import type { StreamReading } from "#nats";
import { type HopService, streamsOf } from "#status";
import type { LiveStream } from "./live-answer.ts";
import type { StreamsRead } from "./stream-reader.ts";

interface Parts {
  readonly read: StreamsRead;
  /** By stream, the last sequence that its reader reports as done. */
  readonly done: ReadonlyMap<string, number>;
}

/** The streams that a service reads, and the messages that wait in all of them; null where that is not known. */
interface HopStreams {
  readonly streams: readonly LiveStream[];
  readonly lag: number | null;
  readonly oldestSeconds: number | null;
}

export function hopStreams(service: HopService, { read, done }: Parts): HopStreams {
  const hops = streamsOf(service);
  const found = [...read.streams].flatMap(([name, reading]) => {
    const hop = hops.find((one) => isOf(name, one));
    return hop === undefined ? [] : [{ name, hop, reading }];
  });
  const streams = found.map(({ name, reading }) => ({
    name,
    fill: reading === null || reading.limitBytes <= 0 ? null : reading.bytes / reading.limitBytes,
    missing: reading === null,
  }));
  // If a stream is missing or did not answer, the messages of the others are not all that wait.
  if (
    hops.length === 0 ||
    found.length === 0 ||
    read.problem !== null ||
    streams.some(({ missing }) => missing)
  ) {
    return { streams, lag: null, oldestSeconds: null };
  }
  let [lag, oldestSeconds] = [0, 0];
  for (const { name, hop, reading } of found) {
    // Messages that are kept for ever wait only if the reader reports that it is behind.
    if (reading === null || (hop.lastPerKey && !done.has(name))) continue;
    const waiting = waitingInStream(reading, done.get(name));
    lag += waiting.messages;
    // The age of kept messages does not tell how long they have waited.
    if (!hop.lastPerKey) oldestSeconds = Math.max(oldestSeconds, waiting.oldestSeconds);
  }
  return { streams, lag, oldestSeconds };
}

function isOf(name: string, { stream, partitioned }: Hop): boolean {
  return partitioned
    ? name.startsWith(`${stream}_`) && /^\d+$/.test(name.slice(stream.length + 1))
    : name === stream;
}

/**
 * How many messages of a stream are not done, and the age of the oldest by the NATS server's clock; 0 if there is none.
 *
 * Messages that are done stay in the stream for a second or two, until the reader purges them. If the reader reports its
 * sequence, the number of the others is exact. Their age is computed as if messages had come evenly between the first and the
 * last, because no message is read for it; it is exact if none is done, which is when a reader stands still.
 *
 * @param done the sequence up to which all are done; undefined if no reader reports it: then all messages wait
 */
export function waitingInStream(
  { messages, first, last, firstAt, lastAt, at }: StreamReading,
  done: number | undefined,
): { readonly messages: number; readonly oldestSeconds: number } {
  const waiting = done === undefined ? messages : Math.min(messages, Math.max(0, last - done));
  if (waiting === 0) return { messages: 0, oldestSeconds: 0 };
  // The server gives the year 1 for a message that it could not read.
  const begin = firstAt > 0 ? firstAt : lastAt;
  const passed = Math.max(0, (done ?? 0) + 1 - first);
  const since = last > first ? begin + ((lastAt - begin) * passed) / (last - first) : begin;
  return { messages: waiting, oldestSeconds: Math.max(0, (at - since) / 1000) };
}
