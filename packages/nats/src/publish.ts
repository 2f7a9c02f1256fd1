import { JetStreamApiError } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { reconnected, whileConnected } from "./ask.ts";
import type { Stream } from "./connect.ts";
import { isNobodyThere } from "./outage.ts";
import { isPublishRefused } from "./refusal.ts";

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

/** What an error that the stream answered says about the message. */
export type PublishFault =
  | { readonly kind: "refused"; readonly reason: "stream_full" | "server_refused" }
  | { readonly kind: "unknown"; readonly reason: string };

/** "{err}": whatever the store said to a message that it was given, before or after it wrote. */
const STORE_FAILED = 10077;
/**
 * Of those, what a store with `discard: new` says before it writes: in its own check on a single server, in one over what is stored and under
 * way before the message is proposed to the other nodes of a cluster, which do not look again.
 */
const NO_ROOM = new Set([
  "maximum bytes exceeded",
  "maximum messages exceeded",
  "maximum messages per subject exceeded",
]);
const TOO_LARGE = "message too large";
/** Looked at before the message is stored or proposed: storage of the server, of the account, of its tier. */
const FULL_CODES = new Set([10023, 10002, 10028, 10047]);
/**
 * "Duplicate message id is in process": an attempt before this one was given up by us and is still on its way through the
 * cluster. It may be stored yet.
 */
const IN_PROCESS = 10158;

/**
 * Which errors are certain refusals, read in nats-server 2.14 (`processJetStreamMsg`, `processClusteredInboundMsg`,
 * `checkMsgHeadersPreClusteredProposal`):
 *
 * - What is wrong with the request (4xx: too large, a sealed stream, an expectation that does not hold) is found before the
 *   message is stored, or by every node alike.
 * - "No room" likewise, see above. So a full stream is answered at once, on one server and in a cluster.
 * - Anything else may come after the write. "Store is closed" comes from a leader that ends while the other nodes have the
 *   message; so does "expected stream sequence does not match" (10063). Up to 2.13 a failed write or sync is told as 10077
 *   with the text of the operating system, when the bytes may be in the file; 2.14 says nothing to that.
 */
export function faultOf(error: JetStreamApiError): PublishFault {
  const { code, status, message } = error;
  if (code === IN_PROCESS) return { kind: "unknown", reason: "in_process" };
  if (FULL_CODES.has(code)) return { kind: "refused", reason: "stream_full" };
  if (code === STORE_FAILED) {
    if (NO_ROOM.has(message)) return { kind: "refused", reason: "stream_full" };
    if (message === TOO_LARGE) return { kind: "refused", reason: "server_refused" };
    return { kind: "unknown", reason: "store_failed" };
  }
  if (status >= 400 && status < 500) return { kind: "refused", reason: "server_refused" };
  return { kind: "unknown", reason: `jetstream_${code}` };
}

/** stream_full: a stream took no more. stream_unavailable: it did not answer, or said no for another reason. */
export const STREAM_FAULTS = ["stream_full", "stream_unavailable"] as const;
export type StreamFault = (typeof STREAM_FAULTS)[number];

/** Which fault of the stream an error is; undefined: it is none. */
export function streamFaultOf(error: unknown): StreamFault | undefined {
  if (error instanceof PublishError) return error.isFull ? "stream_full" : "stream_unavailable";
  return error instanceof JetStreamApiError ? "stream_unavailable" : undefined;
}
