import { JetStreamApiError } from "@nats-io/jetstream";
import type { Stream } from "../connection/connect.ts";
import { isNobodyThere, isPublishRefused } from "../connection/nats-errors.ts";
import { reconnected } from "../connection/request.ts";
import type { Publication } from "./acknowledged-publisher.ts";

/**
 * The state of a message after an attempt to publish it.
 * - stored: on disk; with the default settings, synced.
 * - refused: the server refused (the stream is full, or this user may not publish), or no stream took the
 *   message
 *   (stream_missing: there is no such stream, or it is electing a leader). This attempt did not store it; an
 *   earlier one with an unknown result may have.
 * - unknown: no answer came, or one that may follow the write (`faultOf`). The message may be stored;
 *   publishing it again under the same id settles that.
 */
export type PublishResult =
  | {
      readonly kind: "stored";
      /** An earlier attempt had stored it. */
      readonly duplicate: boolean;
      /** The message's place in its stream. */
      readonly sequence: number;
    }
  | {
      readonly kind: "refused";
      readonly reason: "stream_full" | "stream_gone" | "stream_missing" | "server_refused";
    }
  | { readonly kind: "unknown"; readonly reason: string };

export type { Publication } from "./acknowledged-publisher.ts";

/** Attempts under way, by subject. */
const underWay = new WeakMap<Stream, Map<string, number>>();

/** Makes one attempt. Never throws: the caller decides on a failure. */
export async function publishOnce(stream: Stream, publication: Publication): Promise<PublishResult> {
  const attempts = underWay.get(stream) ?? new Map<string, number>();
  underWay.set(stream, attempts);
  const { subject } = publication;
  const name = shortName(stream, subject);
  const work = stream.progress.begin(`publish to ${name}`);
  attempts.set(subject, (attempts.get(subject) ?? 0) + 1);
  try {
    const result = await attempt(stream, publication, () => attempts.get(subject) === 1);
    if (result.kind === "stored") work.done();
    else work.failed(new PublishError(subject, result.reason, name));
    return result;
  } finally {
    const others = (attempts.get(subject) as number) - 1;
    if (others > 0) attempts.set(subject, others);
    else attempts.delete(subject);
  }
}

/** `ingest.3`, `platform.transactions.0`, `config`: the parts that follow in a subject are unbounded. */
function shortName({ prefix }: Stream, subject: string): string {
  const short = subject.slice(prefix.length);
  return /^[a-z.]+\.\d+(?=\.|$)/.exec(short)?.[0] ?? short.replace(/\..*/, "");
}

/** @param isAlone whether no other attempt on the same subject is under way */
async function attempt(
  stream: Stream,
  publication: Publication,
  isAlone: () => boolean,
): Promise<PublishResult> {
  const askedAt = performance.now();
  try {
    if (!stream.connected()) await reconnected(stream);
    const { duplicate, seq: sequence } = await stream.publisher.publish(publication);
    stream.heard();
    return { kind: "stored", duplicate, sequence };
  } catch (error) {
    if (error instanceof JetStreamApiError) {
      stream.heard();
      return faultOf(error);
    }
    // The server names a subject but no message, and the oldest attempt on that subject gets the error,
    // although its message may be stored.
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
  if (result.kind === "stored") return;
  const { subject } = publication;
  throw new PublishError(subject, result.reason, shortName(stream, subject));
}

/** The stream refused a message, or did not say whether it stored it. */
export class PublishError extends Error {
  readonly code = "publish_failed";
  /** With the installation's prefix. */
  readonly subject: string;
  readonly isFull: boolean;

  /** @param name of the stream, for people: the callers of a full one need to know which it is */
  constructor(subject: string, reason: string, name = subject) {
    super(`the stream of ${name} did not store a message: ${reason}`);
    this.name = "PublishError";
    this.subject = subject;
    this.isFull = reason === "stream_full";
  }
}

/** The meaning of an error answer for the message. */
type PublishFault =
  | { readonly kind: "refused"; readonly reason: "stream_full" | "server_refused" }
  | { readonly kind: "unknown"; readonly reason: string };

/** "{err}": any message of the stream's store, before or after it wrote the message. */
const STORE_FAILED = 10077;
/**
 * Texts of that error with which a store with `discard: new` refuses before it writes. A single server checks
 * this itself. In a cluster the leader checks everything stored and under way before it proposes the message
 * to the other nodes, which do not check again.
 */
const NO_ROOM = new Set([
  "maximum bytes exceeded",
  "maximum messages exceeded",
  "maximum messages per subject exceeded",
]);
const TOO_LARGE = "message too large";
/** Checked before the message is stored or proposed: storage of the server, of the account, of its tier. */
const FULL_CODES = new Set([10023, 10002, 10028, 10047]);
/**
 * "Duplicate message id is in process": an earlier attempt, which we abandoned, is still on its way through
 * the cluster. It may yet be stored.
 */
const IN_PROCESS = 10158;

/**
 * Which errors are certain refusals; read in the sources of nats-server 2.14 (`processJetStreamMsg`,
 * `processClusteredInboundMsg`, `checkMsgHeadersPreClusteredProposal`):
 *
 * - A fault of the request (4xx: too large, a sealed stream, an expectation that does not hold) is
 *   found before the message is stored, or by every node alike.
 * - "No room" as well, see above. So a full stream refuses immediately, on one server and in a cluster.
 * - Anything else may come after the write. A leader that shuts down says "store is closed" while the other
 *   nodes have the message; the same is true of "expected stream sequence does not match" (10063). Up to 2.13
 *   a failed write or sync is reported as 10077 with the text of the operating system, when the bytes may be
 *   in the file; 2.14 does not answer then.
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

/** stream_full: a stream took no more. stream_unavailable: no answer, or refused for another reason. */
export const STREAM_FAULTS = ["stream_full", "stream_unavailable"] as const;
type StreamFault = (typeof STREAM_FAULTS)[number];

/** The stream fault of an error; undefined if it is none. */
export function streamFaultOf(error: unknown): StreamFault | undefined {
  if (error instanceof PublishError) return error.isFull ? "stream_full" : "stream_unavailable";
  return error instanceof JetStreamApiError ? "stream_unavailable" : undefined;
}
