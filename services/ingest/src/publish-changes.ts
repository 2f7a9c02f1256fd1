import { FLOW, type Hop, LIMITS, type Settlement } from "#contract";
import type { AppliedBatch } from "#store";
import { publishOrThrow, type Stream, type StreamMessage, subjectName } from "#stream";
import { addLinks, writeRecord } from "./platform-record.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import { takeRuns, textAt } from "./texts.ts";

/**
 * Publishes what follows from a committed batch: the platform's record of every row that it changed, and a settlement
 * for every clearing and reversal.
 *
 * Ids are made from the batch, so that trying again stores nothing twice while the stream remembers; after a crash the
 * same messages may come in another batch, and receivers key what they get by transaction.
 * @throws when the stream does not confirm; the batch is then tried again, and finds the rows as its own
 */
export async function publishChanges(
  stream: Stream,
  messages: readonly StreamMessage[],
  prepared: PreparedBatch,
  applied: AppliedBatch,
): Promise<void> {
  const id = batchId(messages);
  await Promise.all([
    publishPacked(stream, FLOW.platformTransactions, "records", id, collectRecords(prepared, applied)),
    publishPacked(stream, FLOW.settlement, "settlements", id, collectSettlements(prepared, applied)),
  ]);
}

function collectRecords({ records }: PreparedBatch, { created, changed, links }: AppliedBatch): string[] {
  const isPlain = (ord: number) => !links.has(ord);
  const runs = takeRuns(records, created.filter(isPlain));
  for (const ord of created) {
    const own = links.get(ord);
    if (own !== undefined) runs.push(addLinks(textAt(records, ord), own));
  }
  for (const { ord, id, transaction } of changed) {
    const record = writeRecord(id, transaction);
    const own = links.get(ord);
    runs.push(own === undefined ? record : addLinks(record, own));
  }
  return runs;
}

function collectSettlements({ settlements }: PreparedBatch, { created, changed }: AppliedBatch): string[] {
  const texts = created.map((ord) => textAt(settlements, ord)).filter((text) => text !== "");
  for (const { id, organisationId, transaction } of changed) {
    if (transaction.state === "authorized") continue;
    const settlement: Settlement = {
      transaction: id,
      organisation: organisationId,
      state: transaction.state,
    };
    texts.push(JSON.stringify(settlement));
  }
  return texts;
}

/** Where the batch begins in each partition, and how much of it there is: the same for the same messages. */
function batchId(messages: readonly StreamMessage[]): string {
  const first = new Map<number, number>();
  for (const { partition, sequence } of messages) if (!first.has(partition)) first.set(partition, sequence);
  return `${[...first].map((position) => position.join("-")).join(".")}x${messages.length}`;
}

/** Cuts the entries into messages that NATS takes. */
async function publishPacked(
  stream: Stream,
  hop: Hop,
  field: string,
  batch: string,
  entries: readonly string[],
): Promise<void> {
  const pending: Promise<void>[] = [];
  let chunk: string[] = [];
  let bytes = 0;
  const flush = () => {
    if (chunk.length === 0) return;
    pending.push(
      publishOrThrow(stream, {
        subject: subjectName(stream, hop),
        payload: `{"v":1,"${field}":[${chunk.join(",")}]}`,
        id: `${hop.stream}-${batch}-${pending.length}`,
      }),
    );
    chunk = [];
    bytes = 0;
  };
  for (const entry of entries) {
    const size = Buffer.byteLength(entry) + 1;
    if (bytes + size > LIMITS.messageBytes) flush();
    chunk.push(entry);
    bytes += size;
  }
  flush();
  await Promise.all(pending);
}
