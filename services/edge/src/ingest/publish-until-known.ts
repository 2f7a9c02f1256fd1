import { LIMITS } from "#contract";
import { retryDelayMs } from "#domain";
import { type PublishResult, publishOnce, type Stream } from "#nats";
import type { Log } from "#runtime";
import type { ClosedPartitions } from "./closed-partitions.ts";
import type { PackedMessage, Packer } from "./packer.ts";
import type { StreamAges } from "./stream-ages.ts";

type Published =
  | (Extract<PublishResult, { kind: "stored" }> & { readonly streamCreated: string | undefined })
  | Exclude<PublishResult, { kind: "stored" }>;

/**
 * Publishes under the same id until the stream accepts or refuses. After one unknown answer a refusal no
 * longer counts: the message may be stored although the next leader has no room or no stream yet, because
 * the acknowledgement got lost with the old leader. So it is tried until it is stored, or until all its
 * callers have been answered.
 *
 * The next attempt leaves out slices whose callers have been answered. It keeps its id, because each
 * attempt holds all slices that still count. A caller whose outcome is unknown sends the request again, and
 * then later ones; an old attempt that is stored after those would undo them. A caller that got an outcome
 * has it from ingest, so the message was stored.
 *
 * Nothing is sent to a stream that does not answer when it was created: a caller could not find its events
 * again.
 */
export async function publishUntilKnown(
  parts: {
    readonly stream: Stream;
    readonly ages: StreamAges;
    readonly packer: Packer;
    readonly closed: ClosedPartitions;
    readonly log: Log;
  },
  message: PackedMessage,
): Promise<Published> {
  const { stream, ages, packer, closed, log } = parts;
  if (!stream.connected()) return { kind: "refused", reason: "stream_gone" };
  const startedAt = performance.now();
  let current: PackedMessage | undefined = message;
  let isUnknown = false;
  let streamCreated: string | undefined;
  for (let attempt = 1; ; attempt++) {
    streamCreated ??= await ages.before(message.partition).catch(() => undefined);
    const result: PublishResult =
      streamCreated === undefined
        ? { kind: "refused", reason: "stream_missing" }
        : await publishOnce(stream, current.publication);
    // The first attempt may have stored it: while the stream is the same, this attempt has only found the
    // message.
    if (result.kind === "stored") return { ...result, streamCreated };
    if (result.kind === "refused") {
      const isPatient = performance.now() < startedAt + LIMITS.publishPatienceMs;
      if (!isUnknown && !(isPatient && result.reason === "stream_missing")) return result;
    }
    isUnknown ||= result.kind === "unknown";
    const { reason } = result;
    log.warn({ attempt, reason, id: message.publication.id }, "publish is unconfirmed");
    await new Promise((resolve) => setTimeout(resolve, publishRetryMs(attempt)));
    current = packer.withoutSettled(current);
    if (current === undefined) return result;
    if (performance.now() > startedAt + LIMITS.publishSilenceMs) {
      for (const slice of current.slices) closed.waitFor(slice, "stream_silent");
    }
  }
}

/** @param attempt which one has failed, from 1 */
export function publishRetryMs(attempt: number): number {
  return Math.min(LIMITS.publishRetryMs, retryDelayMs(attempt, Math.random()));
}
