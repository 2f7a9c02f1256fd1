import { JetStreamApiError } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";
import { reconnected, whileConnected } from "./connected.ts";
import { isRefused } from "./refusal.ts";

/**
 * What is known about a message after an attempt to publish it.
 * - stored: on disk, with the default settings synced.
 * - refused: the server said no (stream full, no such stream, not this user); it is not stored.
 * - unknown: no answer came. It may be stored; publishing it again under the same id settles it.
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

/** JetStream error codes that mean "over max_bytes, max_msgs or the account's or server's storage". */
const FULL_CODES = new Set([10077, 10047, 10023, 10122, 10172]);

/** One attempt. Never throws: a failure to publish is an outcome that the caller decides about. */
export async function publishOnce(stream: Stream, publication: Publication): Promise<PublishResult> {
  const header = headers();
  for (const [name, value] of Object.entries(publication.headers ?? {})) header.set(name, value);
  try {
    if (!stream.connected()) await reconnected(stream);
    const ack = await whileConnected(
      stream,
      stream.jetstream.publish(publication.subject, publication.payload, {
        msgID: publication.id,
        headers: header,
      }),
    );
    return { kind: "stored", duplicate: ack.duplicate };
  } catch (error) {
    if (error instanceof JetStreamApiError) {
      return { kind: "refused", reason: FULL_CODES.has(error.code) ? "stream_full" : "server_refused" };
    }
    if (isRefused(error)) return { kind: "refused", reason: "server_refused" };
    const { name, message } = error as Error;
    // Nobody listens on the subject: the stream does not exist, or JetStream is off. Nothing took the message.
    if (name === "NoRespondersError" || message.includes("no responders") || message === "503") {
      return { kind: "refused", reason: "stream_missing" };
    }
    return { kind: "unknown", reason: name };
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
