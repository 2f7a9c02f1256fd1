import type { StreamReading } from "#nats";

/** What waits in a stream. */
interface Waiting {
  readonly messages: number;
  /** 0 if nothing waits. */
  readonly oldestSeconds: number;
}

/**
 * How many messages of a stream are not done, and how old the oldest of them is by the NATS server's clock.
 *
 * What is done stays in the stream for up to a second or two, until its reader purges it. If the reader has said how far it is,
 * the rest is exact in number, and its age is told between the first and the last message as if they had come evenly; nobody
 * looks at a message for that. Where nothing is done, which is when a reader stands still, the age is exact.
 *
 * @param done sequence up to which all are done; undefined if no reader says so, and then everything waits
 */
export function waitingInStream(
  { messages, first, last, firstAt, lastAt, at }: StreamReading,
  done: number | undefined,
): Waiting {
  const waiting = done === undefined ? messages : Math.min(messages, Math.max(0, last - done));
  if (waiting === 0) return { messages: 0, oldestSeconds: 0 };
  // The server says year 1 of a message that it could not read.
  const begin = firstAt > 0 ? firstAt : lastAt;
  const passed = Math.max(0, (done ?? 0) + 1 - first);
  const since = last > first ? begin + ((lastAt - begin) * passed) / (last - first) : begin;
  return { messages: waiting, oldestSeconds: Math.max(0, (at - since) / 1000) };
}
