import { type IngestReply, type PartOutcome, type RejectedInPart, toRejectedEvent } from "#contract";
import { applyEvents, type BatchPart, type EventOutcome, recordBatchParts, type Store } from "#store";
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
    const replies = collectReplies(prepared, outcomes);
    await recordBatchParts(store, collectLateParts(messages, prepared.heads, replies, Date.now()));
    for (const [i, reply] of replies.entries()) {
      const head = prepared.heads[i];
      if (head?.parts.some((part) => part.awaitedUntil > 0))
        sendReply(stream, head.reply, JSON.stringify(reply));
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

/** The outcomes that nobody waits for, or not any more. */
function collectLateParts(
  messages: readonly StreamMessage[],
  heads: readonly (Head | undefined)[],
  replies: readonly IngestReply[],
  now: number,
): BatchPart[] {
  const late: BatchPart[] = [];
  for (const [i, head] of heads.entries()) {
    const { partition, sequence } = messages[i] as StreamMessage;
    for (const [p, part] of (head?.parts ?? []).entries()) {
      if (now < part.awaitedUntil) continue;
      late.push({
        batchId: part.batch,
        organisationId: part.organisation,
        partition,
        sequence,
        batchEvents: part.batchEvents,
        partEvents: part.events,
        rejected: (replies[i]?.parts[p]?.rejected ?? []).map(toRejectedEvent),
      });
    }
  }
  return late;
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
