import { FLOW, HEADERS, type Hop, LIMITS, type Settlement } from "#contract";
import { nameUuid } from "#domain";
import type { AppliedBatch } from "#store";
import { publishOrThrow, type Stream, type StreamMessage, subjectName } from "#stream";
import { addLinks, writeRecord } from "./platform-record.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { type Run, takeRuns, textAt } from "./texts.ts";

/**
 * Publishes what follows from a committed batch: the platform's record of every row that it made or changed, and a
 * settlement of every one that was there and is changed (`Settlement` says why not of a new one).
 *
 * Ids are made from the batch, so that trying again stores nothing twice while the stream remembers; after a crash the
 * same messages may come in another batch, and receivers key what they get by transaction. After a crash the rows that
 * these messages made count as changed, so a settlement more may come.
 * @param traceparent what continues the batch's span at the receivers, where it is traced
 * @throws when the stream does not confirm; the batch is then tried again, and finds the rows as its own
 */
export async function publishChanges(
  stream: Stream,
  messages: readonly StreamMessage[],
  prepared: PreparedBatch,
  applied: AppliedBatch,
  traceparent?: string | undefined,
): Promise<void> {
  const batch: BatchName = { id: batchId(messages), traceparent };
  await Promise.all([
    publishPacked(stream, FLOW.platformTransactions, "records", batch, collectRecords(prepared, applied)),
    publishPacked(stream, FLOW.settlement, "settlements", batch, collectSettlements(applied)),
  ]);
}

/** What the messages of one batch have in common. */
interface BatchName {
  readonly id: string;
  readonly traceparent: string | undefined;
}

function collectRecords({ records }: PreparedBatch, { created, changed, links }: AppliedBatch): Run[] {
  const isPlain = (ord: number) => !links.has(ord);
  const runs = takeRuns(records, created.filter(isPlain));
  for (const ord of created) {
    const own = links.get(ord);
    if (own !== undefined) runs.push(...addLinks(textAt(records, ord), own).map(alone));
  }
  for (const { ord, id, transaction } of changed) {
    const record = writeRecord(id, transaction);
    const own = links.get(ord);
    runs.push(...(own === undefined ? [record] : addLinks(record, own)).map(alone));
  }
  return runs;
}

function collectSettlements({ changed }: AppliedBatch): Run[] {
  return changed.map(({ id, organisationId, transaction: { state } }) => {
    const settlement: Settlement = { transaction: id, organisation: organisationId, state };
    return alone(JSON.stringify(settlement));
  });
}

function alone(text: string): Run {
  return { text, count: 1 };
}

/**
 * Made of every message of the batch. Its first message and their number would not do: after a failover of the stream some
 * acknowledgements are known and others are not, so that another batch may begin at the same message and be as long, and what
 * follows from it would be dropped as a repetition.
 */
function batchId(messages: readonly StreamMessage[]): string {
  return nameUuid(messages.map(({ partition, sequence }) => `${partition}-${sequence}`).join(","));
}

/** Entries of one message: two full ones make a batch of the receiver's. */
const ENTRIES_MAX = LIMITS.rowsPerBatch / 2;

/** Cuts the entries into messages that NATS takes. */
async function publishPacked(
  stream: Stream,
  hop: Hop,
  field: string,
  { id, traceparent }: BatchName,
  entries: readonly Run[],
): Promise<void> {
  const pending: Promise<void>[] = [];
  let chunk: string[] = [];
  let bytes = 0;
  let rows = 0;
  const flush = () => {
    if (chunk.length === 0) return;
    pending.push(
      publishOrThrow(stream, {
        subject: subjectName(stream, hop),
        payload: `{"v":1,"${field}":[${chunk.join(",")}]}`,
        id: `${hop.stream}-${id}-${pending.length}`,
        headers: {
          [HEADERS.rows]: String(rows),
          ...(traceparent !== undefined && { [HEADERS.traceparent]: traceparent }),
        },
      }),
    );
    chunk = [];
    bytes = 0;
    rows = 0;
  };
  for (const { text, count } of entries) {
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > LIMITS.messageBytes || rows + count > ENTRIES_MAX) flush();
    chunk.push(text);
    bytes += size;
    rows += count;
  }
  flush();
  await Promise.all(pending);
}
