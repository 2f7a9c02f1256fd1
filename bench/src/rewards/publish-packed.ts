import { randomUUID } from "node:crypto";
import { HEADERS, type Hop } from "#contract";
import { publishOrThrow, type Stream, subjectName } from "#nats";

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
