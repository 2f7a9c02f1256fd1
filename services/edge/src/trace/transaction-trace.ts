import { setTimeout as delay } from "node:timers/promises";
import type { AnswerOf } from "#contract";
import { encodeId, partitionOf } from "#domain";
import { found, jsonResponse } from "#http";
import type { SharedStore, Sql, Store } from "#postgres";
import { defineEndpoint, type PublisherEndpoint } from "../endpoint.ts";
import { keptAt } from "../transactions/list-rejections.ts";
import { unknownTransaction, writeTransaction } from "../transactions/transactions.ts";
import { readTrace, type TracedIgnored, type TracedTransaction, type TraceKey } from "./read-trace.ts";
import { traceSteps } from "./trace-steps.ts";
import { traceWaiting, writeLink } from "./trace-waiting.ts";

/** The endpoint that shows the steps of one purchase. */
export function transactionTraceEndpoints(store: SharedStore, partitions: number): PublisherEndpoint[] {
  return [
    defineEndpoint("transaction/trace", async ({ body: { external_id: externalId }, caller }) => {
      const partition = partitionOf(externalId, partitions);
      const { organisationId } = caller;
      const trace = await traceTransaction(store.lineOf(organisationId), {
        organisationId,
        externalId,
        partition,
      });
      return jsonResponse(200, found(trace, unknownTransaction));
    }),
  ];
}

/** The answer of `transaction/trace`; undefined if the organisation has no such transaction. */
export async function traceTransaction(
  store: Store,
  key: TraceKey,
): Promise<AnswerOf<"transaction/trace"> | undefined> {
  // One snapshot for all statements: a stamp that is read has its event, whatever others write meanwhile.
  const rows = await store.begin("isolation level repeatable read read only", (sql) => readTrace(sql, key));
  if (rows === undefined) return undefined;
  const hasLeft = await awaitRecord(store, rows.transaction, key.partition);
  const { identifiers: _, ...transaction } = writeTransaction(rows.transaction);
  return {
    transaction,
    steps: traceSteps(rows, hasLeft),
    waiting: traceWaiting(rows, hasLeft),
    links: rows.links.map(writeLink),
    ...(rows.ignored.length > 0 && { ignored: rows.ignored.map(writeIgnored) }),
  };
}

function writeIgnored(row: TracedIgnored): NonNullable<AnswerOf<"transaction/trace">["ignored"]>[number] {
  const { batchId, index, fields } = row;
  return {
    at: keptAt(row).toISOString(),
    fields: [...fields],
    ...(batchId !== null && { batch_id: encodeId("batch", batchId) }),
    ...(index !== null && { index }),
  };
}

/** Positions are written with the next batch, or after a second. */
const LOOK_AGAIN_MS = [100, 300, 400, 500];

/**
 * Whether everything stored of a transaction has been published to the platform. Its message was applied
 * before the transaction was read; once everything up to that message is published, so is its record. The
 * time is not stored per transaction, so this waits for a moment if ingestion is busy.
 */
export async function awaitRecord(
  sql: Sql,
  { applied, published }: Pick<TracedTransaction, "applied" | "published">,
  partition: number,
): Promise<boolean> {
  if (applied === null || published === null || published >= applied) return true;
  for (const ms of LOOK_AGAIN_MS) {
    await delay(ms);
    const [now] = await sql<{ applied: number; published: number }[]>`
      select applied, published from ingest_positions where partition = ${partition}`;
    // The last condition also holds if the stream was recreated and its sequences with it.
    if (now === undefined || now.published >= applied || now.published >= now.applied) return true;
  }
  return false;
}
