import type { IngestReply, PartOutcome, RejectedInPart } from "#contract";
import { applyEvents, type EventOutcome, type Store } from "#store";
import { type BatchHandler, type Outcome, type Stream, type StreamMessage, sendReply } from "#stream";
import type { HashPool } from "./hash-pool.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { Head, Origin, PreparedBatch } from "./prepare-batch.ts";
import { publishChanges } from "./publish-changes.ts";

interface OpenPart {
  readonly batch: string;
  created: number;
  updated: number;
  unchanged: number;
  readonly rejected: RejectedInPart[];
}

/**
 * The hot path, one batch at a time: hash, apply and commit, report, publish what follows. The acknowledgement comes
 * when this returns.
 *
 * A crash before the commit leaves nothing, one after it is healed by the redelivery: every row is found as this
 * message wrote it and the same outcome is reported again. A report that gets lost costs its caller the answer, not
 * the event: the edge answers 202 when none comes.
 */
export function createIngestHandler(parts: {
  store: Store;
  stream: Stream;
  pool: HashPool;
  metrics: IngestMetrics;
}): BatchHandler {
  const { store, stream, pool, metrics } = parts;
  return async (messages) => {
    const prepared = await metrics.timed("hash", () => pool.prepare(messages.map(toRaw)));
    const applied = await metrics.timed("commit", () => applyEvents(store, prepared));
    const { outcomes } = applied;
    metrics.batch(messages.length, prepared.count);
    for (const outcome of outcomes) metrics.event(outcome);
    for (const [i, reply] of collectReplies(prepared, outcomes).entries()) {
      const head = prepared.heads[i];
      if (head?.parts.some((part) => part.awaited)) sendReply(stream, head.reply, JSON.stringify(reply));
    }
    await metrics.timed("publish", () => publishChanges(stream, messages, prepared, applied));
    return prepared.heads.map(toOutcome);
  };
}

function toRaw(message: StreamMessage) {
  return { sequence: message.sequence, bytes: Uint8Array.prototype.slice.call(message.data) };
}

function toOutcome(head: Head | undefined): Outcome {
  return head === undefined ? { kind: "dead", reason: "unreadable_message", record: {} } : { kind: "done" };
}

/** Groups the outcomes of events by message and request. */
function collectReplies(prepared: PreparedBatch, outcomes: readonly EventOutcome[]): IngestReply[] {
  const open = prepared.heads.map((head) => (head?.parts ?? []).map((part) => emptyPart(part.batch)));
  for (const [ord, origin] of prepared.origins.entries()) {
    const part = open[origin.message]?.[origin.part] as OpenPart;
    count(part, origin, outcomes[ord] as EventOutcome);
  }
  return open.map((parts) => ({ parts: parts satisfies PartOutcome[] }));
}

function emptyPart(batch: string): OpenPart {
  return { batch, created: 0, updated: 0, unchanged: 0, rejected: [] };
}

function count(part: OpenPart, origin: Origin, outcome: EventOutcome): void {
  if (outcome.kind === "rejected") {
    part.rejected.push({ ...outcome.rejection, index: origin.index, externalId: origin.externalId });
  } else {
    part[outcome.kind]++;
  }
}
