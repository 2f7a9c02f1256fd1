import type { JsMsg } from "@nats-io/jetstream";
import { HEADERS, type Hop } from "#contract";
import type { Span, Tracing } from "#runtime";
import { messagingAttributes } from "./messaging-attributes.ts";

/** What a message's headers say about what is in it. */
export interface MessageFacts {
  /** How many database rows it stands for, at least 1; 1 where its producer does not say. */
  readonly rows: number;
  /** Of the requests whose events are in it, joined by commas; empty where there are none. */
  readonly traceIds: string;
  /** Of the span that published it; empty where it is not traced. */
  readonly traceparent: string;
}

/** Another system may have written them: a number that makes no sense must not unbound a batch. */
export function factsOf({ headers }: JsMsg): MessageFacts {
  const rows = Number(headers?.get(HEADERS.rows));
  return {
    rows: rows >= 1 ? rows : 1,
    traceIds: headers?.get(HEADERS.traceIds) ?? "",
    traceparent: headers?.get(HEADERS.traceparent) ?? "",
  };
}

/** The span of handling a batch; undefined where nothing in it is traced. */
export function beginBatchSpan(tracing: Tracing, hop: Hop, batch: readonly MessageFacts[]): Span | undefined {
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

/** For the one log line of a batch: how much it was, the requests whose events were in it, and where it is traced. */
export function describeBatch(batch: readonly MessageFacts[], span?: Span | undefined) {
  return {
    ...(span !== undefined && { traceId: span.traceId }),
    messages: batch.length,
    rows: batch.reduce((sum, { rows }) => sum + rows, 0),
    traceIds: batch.flatMap(({ traceIds }) => (traceIds === "" ? [] : traceIds.split(","))),
  };
}
