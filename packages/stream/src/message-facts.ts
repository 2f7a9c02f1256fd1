import type { JsMsg } from "@nats-io/jetstream";
import { HEADERS } from "#contract";

/** What a message's headers say about what is in it. */
export interface MessageFacts {
  /** How many database rows it stands for, at least 1; 1 where its producer does not say. */
  readonly rows: number;
  /** Of the requests whose events are in it, joined by commas; empty where there are none. */
  readonly traceIds: string;
}

/** Another system may have written them: a number that makes no sense must not unbound a batch. */
export function factsOf({ headers }: JsMsg): MessageFacts {
  const rows = Number(headers?.get(HEADERS.rows));
  return { rows: rows >= 1 ? rows : 1, traceIds: headers?.get(HEADERS.traceIds) ?? "" };
}

/** For the one log line of a batch: how much it was, and the requests whose events were in it. */
export function describeBatch(batch: readonly MessageFacts[]) {
  return {
    messages: batch.length,
    rows: batch.reduce((sum, { rows }) => sum + rows, 0),
    traceIds: batch.flatMap(({ traceIds }) => (traceIds === "" ? [] : traceIds.split(","))),
  };
}
