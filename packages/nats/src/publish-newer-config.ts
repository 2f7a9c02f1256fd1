import { JetStreamApiError } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { configSubject, FLOW, HEADERS } from "#contract";
import type { ConfigMessage } from "#contract/platform";
import { ask, reconnected } from "./ask.ts";
import type { Stream } from "./connect.ts";
import { PublishError } from "./publish.ts";
import { streamName } from "./topology.ts";

/** JetStream error codes that mean "another message came to this subject meanwhile". */
const OVERTAKEN_CODES = new Set([10071, 10164]);
/** How often one call is overtaken by others that publish the same record before it leaves it to its next turn. */
const ATTEMPTS = 5;

/**
 * Publishes a program or deal unless the stream holds this revision of it, or a newer one. What the stream holds of a
 * record never goes back, whoever publishes what and when: the message is stored only behind the one that was looked at.
 *
 * Races thought of: two platform processes that publish different revisions at once; an attempt that was given up (the
 * connection broke, the answer was late) and whose message arrives after that of the next revision. A reader that starts
 * from nothing would else find the older revision as the last one, and keep it. Repeating it is harmless at any time,
 * beyond the window in which the stream recognises a message by its id, and after the stream was wiped it stores again.
 * @param traceparent of the span that publishes it, where it is traced
 * @returns false if it was there
 * @throws PublishError, or the error of NATS, unless it is there now
 */
export async function publishNewerConfig(
  stream: Stream,
  message: ConfigMessage,
  traceparent?: string | undefined,
): Promise<boolean> {
  if (!stream.connected()) await reconnected(stream);
  const subject = stream.prefix + configSubject(message);
  const payload = JSON.stringify(message);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const last = await ask(stream, () => lastOf(stream, subject));
    if (last.revision >= message.revision) return false;
    try {
      const expect = { lastSubjectSequence: last.sequence };
      const options = { expect, ...headersOf(traceparent) };
      await ask(stream, () => stream.jetstream.publish(subject, payload, options));
      return true;
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

/** What the stream holds under a subject: nothing is number 0, and revision 0 is before every revision. */
async function lastOf(stream: Stream, subject: string): Promise<{ sequence: number; revision: number }> {
  const name = streamName(stream, FLOW.config);
  const message = await stream.manager.streams.getMessage(name, { last_by_subj: subject });
  if (message === null) return { sequence: 0, revision: 0 };
  return { sequence: message.seq, revision: revisionOf(message.string()) };
}

/** Others may write there too: what is no configuration is older than any. */
function revisionOf(text: string): number {
  try {
    const { revision } = JSON.parse(text) as Partial<ConfigMessage>;
    return typeof revision === "number" ? revision : 0;
  } catch {
    return 0;
  }
}

/** How many programs and deals the stream holds, the removed ones too. Throws when there is no such stream. */
export async function countConfigMessages(stream: Stream): Promise<number> {
  const info = await ask(stream, () => stream.manager.streams.info(streamName(stream, FLOW.config)));
  return info.state.messages;
}
