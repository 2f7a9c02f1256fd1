import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { type Run, takeRuns, textAt } from "#contract/codec";
import type { Settlement } from "#contract/ingest";
import { nameUuid } from "#domain";
import { publishOrThrow, type Stream, type StreamMessage, subjectName } from "#nats";
import { addLinks } from "./platform-record.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import type { AppliedBatch } from "./transactions/apply-events.ts";
import { writeRecord } from "./write-record.ts";

/**
 * Publishes what follows from a committed batch: the platform's record of every row that it made or changed, and a
 * settlement of every one that was there and is changed (`Settlement` says why not of a new one).
 *
 * A message's id names its content and the messages that it follows from: what is cut otherwise the next time, or says
 * something else, has another id, and so has what is sent again to a database that was restored a minute ago. So the stream
 * drops nothing but a true repetition. Receivers key what they get by transaction, so what comes twice is harmless.
 * Where a crash came in between, rows that are new count as changed, and a settlement more may come.
 * @param traceparent what continues the batch's span at the receivers, where it is traced
 * @throws when the stream does not confirm; all of it is then published again
 */
export async function publishChanges(
  stream: Stream,
  messages: readonly Pick<StreamMessage, "partition" | "sequence">[],
  prepared: PreparedBatch,
  applied: AppliedBatch,
  traceparent?: string | undefined,
): Promise<void> {
  const from = messages.map(({ partition, sequence }) => `${partition}-${sequence}`).join(",");
  const source = { from, traceparent };
  await Promise.all([
    publishPacked(stream, FLOW.platformTransactions, "records", source, collectRecords(prepared, applied)),
    publishPacked(stream, FLOW.settlement, "settlements", source, collectSettlements(applied)),
  ]);
}

/** What messages that are published together have in common. */
interface Source {
  /** In their ids: what they follow from. */
  readonly from: string;
  readonly traceparent: string | undefined;
}

function collectRecords({ records }: PreparedBatch, { created, changed, links }: AppliedBatch): Run[] {
  const isPlain = (ord: number) => !links.has(ord);
  const runs = takeRuns(records, created.filter(isPlain));
  for (const ord of created) {
    const own = links.get(ord);
    if (own !== undefined) runs.push(...addLinks(textAt(records, ord), own).map(alone));
  }
  for (const { ord, transaction } of changed) {
    const record = writeRecord(transaction);
    const own = links.get(ord);
    runs.push(...(own === undefined ? [record] : addLinks(record, own)).map(alone));
  }
  return runs;
}

function collectSettlements({ changed }: AppliedBatch): Run[] {
  const settled = changed.filter(({ wasThere }) => wasThere);
  return settled.map(({ transaction: { id, organisationId, state } }) => {
    const settlement: Settlement = { transaction: id, organisation: organisationId, state };
    return alone(JSON.stringify(settlement));
  });
}

export function alone(text: string): Run {
  return { text, count: 1 };
}

/** Entries of one message: two full ones make a batch of the receiver's. */
const ENTRIES_MAX = LIMITS.rowsPerBatch / 2;

/**
 * Cuts the entries into messages that NATS takes. Each is named by what it says and what it follows from: the stream drops a
 * true repetition, and nothing else.
 */
export async function publishPacked(
  stream: Stream,
  hop: Hop,
  field: string,
  { from, traceparent }: Source,
  entries: readonly Run[],
): Promise<void> {
  const pending: Promise<void>[] = [];
  let chunk: string[] = [];
  let bytes = 0;
  let rows = 0;
  const flush = () => {
    if (chunk.length === 0) return;
    const payload = `{"v":1,"${field}":[${chunk.join(",")}]}`;
    pending.push(
      publishOrThrow(stream, {
        subject: subjectName(stream, hop),
        payload,
        id: nameUuid(`${from}\n${payload}`),
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
