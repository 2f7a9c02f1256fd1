import { EVENTS_KICK_SUBJECT, FLOW, type IngestReply } from "#contract";
import { inSpan, type Span, type SpanAttributes } from "#runtime";
import {
  applyEvents,
  applyIsolated,
  type BatchForm,
  type PoisonEvent,
  recordBatchParts,
  refusalOfData,
  type Store,
} from "#store";
import {
  type BatchHandler,
  bury,
  kick,
  type Outcome,
  type Stream,
  type StreamMessage,
  sendReply,
} from "#stream";
import type { HashPool } from "./hash-pool.ts";
import type { IngestMetrics, Step } from "./metrics.ts";
import { firstOrds, type Head } from "./prepare-batch.ts";
import { publishChanges } from "./publish-changes.ts";
import { collectLateParts, collectReplies } from "./report.ts";
import { tellRejections } from "./tell-rejections.ts";

const SPANS: Readonly<Record<Step, { kind: "internal" | "client"; attributes: SpanAttributes }>> = {
  hash: { kind: "internal", attributes: {} },
  commit: { kind: "client", attributes: { "db.system.name": "postgresql" } },
  publish: { kind: "internal", attributes: { "messaging.system": "nats" } },
};

/**
 * The hot path, one batch at a time: hash, apply and commit, report. What follows is published beside the next batch, and
 * the acknowledgement comes after that.
 *
 * A crash before the commit leaves nothing, one after it is healed by the redelivery: every row is found as this
 * message wrote it, the same outcome is reported and the same records are published again. A report that gets lost
 * costs its caller the answer, not the event: the edge answers 202 when none comes.
 */
export function createIngestHandler(parts: {
  store: Store;
  stream: Stream;
  pool: HashPool;
  metrics: IngestMetrics;
}): BatchHandler {
  const { store, stream, pool, metrics } = parts;
  const step = <T>(span: Span | undefined, name: Step, work: (own: Span | undefined) => Promise<T>) => {
    const { kind, attributes } = SPANS[name];
    return inSpan(span, name, (own) => metrics.timed(name, () => work(own)), kind, attributes);
  };
  const prepare = (messages: readonly StreamMessage[], form: BatchForm, span: Span | undefined) =>
    step(span, "hash", () => pool.prepare({ messages: messages.map(toRaw), form }));
  const apply = async (messages: readonly StreamMessage[], span: Span | undefined) => {
    const prepared = await prepare(messages, "fastest", span);
    try {
      const applied = await step(span, "commit", () => applyEvents(store, prepared.events));
      return { prepared, applied: { ...applied, poison: [] } };
    } catch (error) {
      if (refusalOfData(error) === undefined) throw error;
    }
    // Something in it is refused for good: once more in a form in which it can be found.
    const readable = await prepare(messages, "readable", span);
    return { prepared: readable, applied: await applyIsolated(store, readable.events) };
  };
  return async (messages, _attempt, span) => {
    const { prepared, applied } = await apply(messages, span);
    metrics.batch(messages, applied);
    const replies = collectReplies(prepared, applied.outcomes);
    const late = collectLateParts(prepared.heads, replies);
    const parts = await tellRejections(store, late, new Date());
    await recordBatchParts(store, parts, span?.traceparent);
    if (parts.some(({ events }) => events.length > 0)) kick(stream, EVENTS_KICK_SUBJECT);
    sendReplies(stream, prepared.heads, replies);
    return {
      outcomes: prepared.heads.map(toOutcome),
      publish: () =>
        step(span, "publish", async (own) => {
          await publishChanges(stream, messages, prepared, applied, own?.traceparent);
          await buryPoison(stream, messages, prepared.heads, applied.poison);
        }),
    };
  };
}

function toRaw(message: StreamMessage) {
  return { sequence: message.sequence, bytes: Uint8Array.prototype.slice.call(message.data) };
}

function sendReplies(
  stream: Stream,
  heads: readonly (Head | undefined)[],
  replies: readonly IngestReply[],
): void {
  for (const [i, head] of heads.entries()) {
    if (head?.parts.some((part) => part.awaited)) {
      sendReply(stream, head.reply, JSON.stringify(replies[i]));
    }
  }
}

/** Events that the database refuses for good: kept where an operator finds them and can put them back. */
async function buryPoison(
  stream: Stream,
  messages: readonly StreamMessage[],
  heads: readonly (Head | undefined)[],
  poison: readonly PoisonEvent[],
): Promise<void> {
  const starts = firstOrds(heads);
  for (const { row, error } of poison) {
    // A message that could not be read begins where the next one does, and has no events.
    const at = starts.findLastIndex((start) => start <= row.ord);
    const { partition, sequence } = messages[at] as StreamMessage;
    const letter = {
      reason: "poison_event",
      hop: FLOW.ingest.stream,
      partition,
      sequence,
      error,
      row: { ...row },
    };
    await bury(stream, letter, `${row.ord - (starts[at] as number)}`);
  }
}

function toOutcome(head: Head | undefined): Outcome {
  return head === undefined ? { kind: "dead", reason: "unreadable_message" } : { kind: "done" };
}
