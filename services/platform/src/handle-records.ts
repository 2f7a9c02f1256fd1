import { FLOW } from "#contract";
import type { DeadLetter } from "#contract/ingest";
import { encodeId, nameUuid } from "#domain";
import { type BatchHandler, bury, type Stream, type StreamMessage, toMessageResult } from "#nats";
import { isolateRefused, type Store } from "#postgres";
import type { Log, Span } from "#runtime";
import type { ConfigurationCache } from "./configuration/configuration.ts";
import type { Judge } from "./halves/judge.ts";
import { pairHalves } from "./halves/pair-halves.ts";
import { revertRecords } from "./halves/revert-records.ts";
import { storeRecords } from "./halves/store-records.ts";
import type { MatchingMetrics } from "./metrics.ts";
import { type PlacedRecord, readRecords } from "./read-records.ts";

/** How many characters of an invalid record's transaction id are kept: it may be any text. */
const NAME_LENGTH = 64;

interface RecordHandlerParts {
  readonly store: Store;
  readonly stream: Stream;
  readonly configuration: ConfigurationCache;
  readonly metrics: MatchingMetrics;
  /** To be called when outcomes were queued. */
  readonly onOutcomes: () => void;
  readonly log: Log;
}

/**
 * Handles records of the publisher, a batch at a time: read, route, store what is routed and commit; then look for payments
 * that were there before, and bury what is invalid. Outcomes are queued by the database transactions that decide them.
 *
 * After a crash anywhere the whole batch comes again. A record that was stored says nothing new then, and is not judged a
 * second time; one that was not paired looks again.
 */
export function createRecordHandler(parts: RecordHandlerParts): BatchHandler {
  const { store, configuration, metrics, onOutcomes } = parts;
  return async (messages, span) => {
    const { routes, judge } = await configuration.current();
    const read = readRecords(
      messages.map(({ data }) => data),
      routes,
    );
    const { refused } = await isolateRefused(read.routed, (placed) => match(parts, placed, judge, span));
    await revertRecords(store, read.revertedElsewhere);
    if (read.routed.length > 0) onOutcomes();
    for (const { message, entry, transactionId, issues } of read.invalid) {
      const { sequence } = messages[message] as StreamMessage;
      parts.log.error({ sequence, entry, issues }, "record is dead");
      await buryRecord(parts.stream, sequence, `${entry}`, { reason: "invalid_record", transactionId });
    }
    for (const { item, error } of refused) {
      const { sequence } = messages[item.message] as StreamMessage;
      const transactionId = encodeId("tx", item.record.transactionId);
      parts.log.error({ sequence, transactionId, error }, "record is dead");
      await buryRecord(parts.stream, sequence, transactionId, {
        reason: "refused_by_database",
        transactionId,
        error,
      });
    }
    metrics.records(read.counts, { invalid: read.invalid.length, refused: refused.length });
    return { outcomes: read.faults.map(toMessageResult) };
  };
}

/** Stores and pairs in separate database transactions: `pairHalves` says why. */
async function match(
  { store, metrics }: RecordHandlerParts,
  placed: readonly PlacedRecord[],
  judge: Judge,
  span: Span | undefined,
): Promise<void> {
  const records = placed.map(({ record }) => record);
  const traceparent = span?.traceparent;
  const stored = await metrics.timed("store_records", () => storeRecords(store, records, judge, traceparent));
  metrics.judged(stored);
  const ids = records.map(({ transactionId }) => transactionId);
  const pairing = await metrics.timed("pair_records", () =>
    pairHalves(store, "records", ids, judge, traceparent),
  );
  metrics.paired(pairing);
}

/**
 * Buries a record as a dead letter. Only the id of its transaction may be kept outside of the tables, so an operator cannot
 * put the record back; the publisher sends it again when the transaction changes.
 *
 * The letter's id is made of what it is about, and not only of the sequence: a stream that was wiped gives the same sequence
 * to another message.
 */
async function buryRecord(
  stream: Stream,
  sequence: number,
  part: string,
  said: Pick<DeadLetter, "reason" | "error"> & { readonly transactionId: string | undefined },
): Promise<void> {
  const { transactionId, ...rest } = said;
  const letter: DeadLetter = {
    ...rest,
    hop: FLOW.platformTransactions.stream,
    partition: 0,
    sequence,
    ...(transactionId !== undefined && { transactionId: transactionId.slice(0, NAME_LENGTH) }),
  };
  await bury(stream, letter, nameUuid(`${part} ${transactionId}`));
}
