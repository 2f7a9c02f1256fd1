import { HEADERS, type Hop } from "#contract";
import type { Span, SpanAttributes, Tracing } from "#runtime";
import type { PulledMessage } from "./pull.ts";

/** The headers of a message about its content. */
interface MessageFacts {
  /** The number of database rows in the message, at least 1; 1 if its producer does not say. */
  readonly rows: number;
  /** Trace ids of the requests whose events are in the message, joined by commas; may be empty. */
  readonly traceIds: string;
  /** From the span that published the message; empty: not traced. */
  readonly traceparent: string;
}

/** A message for a handler. */
export interface StreamMessage extends MessageFacts {
  /** With the installation's prefix. */
  readonly subject: string;
  /** 0 in a hop without partitions. */
  readonly partition: number;
  /** The message's sequence in its stream; starts again in a stream that was wiped. */
  readonly sequence: number;
  /** A view into the client's buffer: copy it before handing it to a worker thread. */
  readonly data: Uint8Array;
  /** When the stream stored it, milliseconds since 1970, by the server's clock. */
  readonly storedAtMs: number;
  /**
   * Of an ordered hop: where its reading began. Each take-over of a partition begins a new reading, which
   * distinguishes messages read before and after it.
   */
  readonly reading?: ReadFrom | undefined;
}

/** The place in a partition of an ordered hop where reading begins. */
export interface ReadFrom {
  /** Reading begins after this sequence … */
  readonly after: number;
  /** An earlier owner has applied messages up to this one, and may not have finished them. */
  readonly applied?: number;
  /** … of the stream that was created at this time (`StreamState.created`). */
  readonly streamCreated: string;
  /** When the stream stored that message, like `StreamMessage.storedAtMs`; undefined: not known. */
  readonly storedAtMs?: number | undefined;
}

/** Whether an earlier owner has applied it. */
export function wasApplied({ sequence, reading }: StreamMessage): boolean {
  return reading !== undefined && sequence <= (reading.applied ?? reading.after);
}

export function toStreamMessage(source: PulledMessage, partition: number, reading?: ReadFrom): StreamMessage {
  const storedAtMs = Number(source.storedAt) / 1e6;
  const { subject, seq: sequence, data } = source;
  return { subject, partition, sequence, data, storedAtMs, reading, ...factsOf(source) };
}

/** Stored data as a message: it is handled by the same steps, and is in no stream. */
export function unstoredMessage(data: Uint8Array, rows: number): StreamMessage {
  return { subject: "", partition: 0, sequence: 0, data, storedAtMs: 0, rows, traceIds: "", traceparent: "" };
}

/** Another system may have written the headers: an absurd number of rows must not lift a batch's bound. */
function factsOf({ headers }: PulledMessage): MessageFacts {
  const rows = Number(headers?.get(HEADERS.rows));
  return {
    rows: rows >= 1 ? rows : 1,
    traceIds: headers?.get(HEADERS.traceIds) ?? "",
    traceparent: headers?.get(HEADERS.traceparent) ?? "",
  };
}

/** The span attributes for writing to or reading from a hop, by OpenTelemetry's conventions for messaging. */
export function messagingAttributes(operation: "send" | "process", { stream }: Hop): SpanAttributes {
  return {
    "messaging.system": "nats",
    "messaging.operation.type": operation,
    "messaging.operation.name": operation,
    "messaging.destination.name": stream,
  };
}

/** The span of handling a batch; undefined: nothing in it is traced. */
export function beginBatchSpan(
  tracing: Tracing,
  hop: Hop,
  batch: readonly StreamMessage[],
): Span | undefined {
  return tracing.follow({
    name: `process ${hop.stream}`,
    kind: "consumer",
    from: batch.map(({ traceparent }) => traceparent),
    attributes: {
      ...messagingAttributes("process", hop),
      "messaging.batch.message_count": batch.length,
      "stampede.rows": batch.reduce((sum, { rows }) => sum + rows, 0),
    },
  });
}

/** The most trace ids in a log line: 3.5 KB of it. A batch may have thousands of requests. */
const TRACE_IDS_LOGGED = 100;

/** For the log lines of a batch: its size, the requests whose events are in it, and its trace. */
export function describeBatch(batch: readonly StreamMessage[], span?: Span | undefined) {
  const traceIds = batch.flatMap(({ traceIds }) => (traceIds === "" ? [] : traceIds.split(",")));
  const left = traceIds.length - TRACE_IDS_LOGGED;
  return {
    ...(span !== undefined && { traceId: span.traceId }),
    messages: batch.length,
    rows: batch.reduce((sum, { rows }) => sum + rows, 0),
    traceIds: traceIds.slice(0, TRACE_IDS_LOGGED),
    ...(left > 0 && { moreTraceIds: left }),
  };
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The value of a message; undefined if the message is not JSON in UTF-8. */
export function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(data));
  } catch {
    return undefined;
  }
}

/** unreadable_message: not JSON in UTF-8. invalid_message: JSON, but not the envelope of a packed message. */
export const UNREAD_REASONS = ["unreadable_message", "invalid_message"] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/**
 * The entries of a message `{"v":1,"<field>":[…]}`, not yet validated, or the reason why there are none.
 * Parsed without a schema, because a schema of the whole message would validate its entries, too, and refuse
 * all of them for one.
 */
export function readPacked(data: Uint8Array, field: string): readonly unknown[] | UnreadReason {
  const message = parseJson(data);
  if (message === undefined) return "unreadable_message";
  if (typeof message !== "object" || message === null) return "invalid_message";
  const { v, [field]: entries } = message as Record<string, unknown>;
  return v === 1 && Array.isArray(entries) && entries.length > 0 ? entries : "invalid_message";
}
