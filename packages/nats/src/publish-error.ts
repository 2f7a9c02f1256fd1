import type { JetStreamApiError } from "@nats-io/jetstream";

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
