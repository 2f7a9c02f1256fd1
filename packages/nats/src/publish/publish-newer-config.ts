import { JetStreamApiError } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { configSubject, FLOW, HEADERS } from "#contract";
import type { ConfigMessage } from "#contract/platform";
import type { Stream } from "../connection/connect.ts";
import { ask, reconnected } from "../connection/request.ts";
import { streamName } from "../streams/stream-names.ts";
import { PublishError } from "./publish.ts";

/** JetStream's error codes for "another message came to this subject meanwhile". */
const OVERTAKEN_CODES = new Set([10071, 10164]);
/** How often another publication of the same program or deal may overtake a call before its next turn. */
const ATTEMPTS = 5;

/**
 * Publishes a program or deal unless the stream holds this revision of it, or a newer one. The stream's
 * revision of a program or deal never goes back, in whatever order processes publish: a message is stored
 * only if the last message that this call has read is still the last.
 *
 * Races considered: two platform processes publish different revisions at the same time; an attempt was
 * abandoned (the connection broke, or the answer was late), and its message arrives after that of the next
 * revision. A new reader would otherwise find the older revision as the last one, and keep it. Repeating a
 * call is harmless at any time, also after the window in which the stream recognises a message by its id.
 * After the stream was wiped, repeating it stores the message again.
 * @param traceparent of the span that publishes it, if it is traced
 * @returns the previous revision in the stream, and whether its content was the same; the message was stored
 * if that revision is lower
 * @throws PublishError, or the error of NATS, if the stream may not hold it
 */
export async function publishNewerConfig(
  stream: Stream,
  message: ConfigMessage,
  traceparent?: string | undefined,
): Promise<{ readonly held: number; readonly isSame: boolean }> {
  if (!stream.connected()) await reconnected(stream);
  const subject = stream.prefix + configSubject(message);
  const payload = JSON.stringify(message);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const last = await ask(stream, () => lastOf(stream, subject));
    if (last.revision >= message.revision) return { held: last.revision, isSame: last.text === payload };
    try {
      const expect = { lastSubjectSequence: last.sequence };
      const options = { expect, ...headersOf(traceparent) };
      await ask(stream, () => stream.jetstream.publish(subject, payload, options));
      return { held: last.revision, isSame: false };
    } catch (error) {
      if (!(error instanceof JetStreamApiError && OVERTAKEN_CODES.has(error.code))) throw error;
    }
  }
  throw new PublishError(subject, "overtaken");
}

function headersOf(traceparent: string | undefined): { headers?: MsgHdrs } {
  if (traceparent === undefined) return {};
  const header = headers();
  header.set(HEADERS.traceparent, traceparent);
  return { headers: header };
}

/** The last message under a subject; if there is none, sequence 0 and revision 0, before every revision. */
async function lastOf(
  stream: Stream,
  subject: string,
): Promise<{ sequence: number; revision: number; text: string }> {
  const name = streamName(stream, FLOW.config);
  const message = await stream.manager.streams.getMessage(name, { last_by_subj: subject });
  if (message === null) return { sequence: 0, revision: 0, text: "" };
  const text = message.string();
  return { sequence: message.seq, revision: revisionOf(text), text };
}

/** Others may write there, too: a message that is no program or deal counts as older than any. */
function revisionOf(text: string): number {
  try {
    const { revision } = JSON.parse(text) as Partial<ConfigMessage>;
    return typeof revision === "number" ? revision : 0;
  } catch {
    return 0;
  }
}

/** The programs and deals in the stream, including removed ones. */
export async function listConfig(stream: Stream): Promise<Pick<ConfigMessage, "kind" | "id">[]> {
  const name = streamName(stream, FLOW.config);
  const { state } = await ask(stream, () => stream.manager.streams.info(name, { subjects_filter: ">" }));
  const prefix = `${stream.prefix}${FLOW.config.subject}.`;
  return Object.keys(state.subjects ?? {}).flatMap((subject) => {
    const [kind, id] = subject.slice(prefix.length).split(".");
    const isOurs = (kind === "loyalty-program" || kind === "deal") && id !== undefined;
    return isOurs ? [{ kind, id }] : [];
  });
}

/** The last message of a program or deal; undefined: there is none, or it is invalid. */
export async function readConfig(
  stream: Stream,
  named: Pick<ConfigMessage, "kind" | "id">,
): Promise<Pick<ConfigMessage, "revision" | "record"> | undefined> {
  const { text, revision } = await ask(stream, () => lastOf(stream, stream.prefix + configSubject(named)));
  return revision === 0 ? undefined : { revision, record: (JSON.parse(text) as ConfigMessage).record };
}

/**
 * The number of programs and deals in the stream, including removed ones. Throws if there is no such stream.
 */
export async function countConfigMessages(stream: Stream): Promise<number> {
  const info = await ask(stream, () => stream.manager.streams.info(streamName(stream, FLOW.config)));
  return info.state.messages;
}
