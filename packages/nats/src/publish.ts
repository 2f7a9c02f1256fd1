import { JetStreamApiError } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";
import { reconnected, whileConnected } from "./connected.ts";
import { faultOf } from "./publish-error.ts";
import { isPublishRefused } from "./refusal.ts";
import { isNobodyThere } from "./until-led.ts";

/**
 * What is known about a message after an attempt to publish it.
 * - stored: on disk, with the default settings synced.
 * - refused: the server said no (stream full, not this user), or nobody took it (stream_missing: there is no such stream,
 *   or it is electing a leader). This attempt did not store it; one before it whose fate is unknown may have.
 * - unknown: no answer came, or one that may follow the write (`faultOf`). It may be stored; publishing it again under the
 *   same id settles it.
 */
export type PublishResult =
  | { readonly kind: "stored"; readonly duplicate: boolean }
  | {
      readonly kind: "refused";
      readonly reason: "stream_full" | "stream_gone" | "stream_missing" | "server_refused";
    }
  | { readonly kind: "unknown"; readonly reason: string };

export interface Publication {
  readonly subject: string;
  readonly payload: string | Uint8Array;
  /** Constant over all attempts at one message. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A write that waits for other nodes and for disks takes longer under load than a question; to repeat it costs more. */
const PUBLISH_TIMEOUT_MS = 5_000;

/** Attempts under way, by subject. */
const underWay = new WeakMap<Stream, Map<string, number>>();

/** One attempt. Never throws: a failure to publish is an outcome that the caller decides about. */
export async function publishOnce(stream: Stream, publication: Publication): Promise<PublishResult> {
  const attempts = underWay.get(stream) ?? new Map<string, number>();
  underWay.set(stream, attempts);
  const { subject } = publication;
  attempts.set(subject, (attempts.get(subject) ?? 0) + 1);
  try {
    return await attempt(stream, publication, () => attempts.get(subject) === 1);
  } finally {
    const others = (attempts.get(subject) as number) - 1;
    if (others > 0) attempts.set(subject, others);
    else attempts.delete(subject);
  }
}

/** @param isAlone whether no other attempt at its subject is under way */
async function attempt(
  stream: Stream,
  publication: Publication,
  isAlone: () => boolean,
): Promise<PublishResult> {
  const header = headers();
  for (const [name, value] of Object.entries(publication.headers ?? {})) header.set(name, value);
  const askedAt = performance.now();
  try {
    if (!stream.connected()) await reconnected(stream);
    const { subject, payload, id: msgID } = publication;
    const options = { msgID, headers: header, timeout: PUBLISH_TIMEOUT_MS };
    const ack = await whileConnected(stream, stream.jetstream.publish(subject, payload, options));
    stream.heard();
    return { kind: "stored", duplicate: ack.duplicate };
  } catch (error) {
    if (error instanceof JetStreamApiError) {
      stream.heard();
      return faultOf(error);
    }
    // The server names a subject and no message; the client tells it to the oldest on that subject, which may be stored.
    if (isPublishRefused(error, publication.subject) && isAlone()) {
      return { kind: "refused", reason: "server_refused" };
    }
    stream.unheard(askedAt);
    if (isNobodyThere(error)) return { kind: "refused", reason: "stream_missing" };
    return { kind: "unknown", reason: (error as Error).name };
  }
}

/**
 * Publishes on behalf of a batch that is tried again as a whole.
 * @throws PublishError unless the message is stored
 */
export async function publishOrThrow(stream: Stream, publication: Publication): Promise<void> {
  const result = await publishOnce(stream, publication);
  if (result.kind !== "stored") throw new PublishError(publication.subject, result.reason);
}

/** The stream refused a message, or did not say. */
export class PublishError extends Error {
  readonly code = "publish_failed";
  /** With the installation's prefix. */
  readonly subject: string;
  readonly isFull: boolean;

  constructor(subject: string, reason: string) {
    super(`the stream did not store a message: ${reason}`);
    this.name = "PublishError";
    this.subject = subject;
    this.isFull = reason === "stream_full";
  }
}
