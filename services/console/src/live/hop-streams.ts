import type { Hop } from "#contract";
import { type HopService, streamsOf } from "#status";
import type { LiveStream } from "./live-answer.ts";
import type { StreamsRead } from "./stream-reader.ts";
import { waitingInStream } from "./waiting-in-stream.ts";

interface Parts {
  readonly read: StreamsRead;
  /** How far the readers of streams said that they are. */
  readonly done: ReadonlyMap<string, number>;
}

/** The streams that a service reads, and what waits in all of them together: null where that is not known. */
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
  // Of some of them there is no answer, or they are not there: what waits in the others is not what waits.
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
    // What is kept for ever waits only if its reader says that it is behind.
    if (reading === null || (hop.lastPerKey && !done.has(name))) continue;
    const waiting = waitingInStream(reading, done.get(name));
    lag += waiting.messages;
    // And how old that is, the age of what is kept does not tell.
    if (!hop.lastPerKey) oldestSeconds = Math.max(oldestSeconds, waiting.oldestSeconds);
  }
  return { streams, lag, oldestSeconds };
}

function isOf(name: string, { stream, partitioned }: Hop): boolean {
  return partitioned
    ? name.startsWith(`${stream}_`) && /^\d+$/.test(name.slice(stream.length + 1))
    : name === stream;
}
