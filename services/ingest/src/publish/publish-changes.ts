import { hash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { packRecordMessage, piecesAt, takeRuns, textAt } from "#contract/codec";
import type { Settlement } from "#contract/ingest";
import { groupBy, nameUuid, partitionOf } from "#domain";
import { publishOrThrow, type ReadFrom, type Stream, type StreamMessage, subjectName } from "#nats";
import { Gathering } from "#runtime";
import type { AppliedBatch, ChangedTransaction } from "../batch/apply-events.ts";
import type { PreparedBatch } from "../batch/prepare-batch.ts";
import { addLinks, type Entry, together, writeRecords } from "./platform-record.ts";

/** A committed batch that something follows from. */
export interface CommittedChanges {
  readonly messages: readonly Pick<StreamMessage, "partition" | "sequence" | "reading">[];
  readonly prepared: PreparedBatch;
  readonly applied: AppliedBatch;
  /** What continues the batch's span at the receivers, where it is traced. */
  readonly traceparent?: string | undefined;
}

/** The least time between publications, unless much waits: no caller waits for them with an open request. */
const SPACING_MS = 50;
/** So much leaves at once: the loop lets only twice as many rows be published beside its batches. */
export const ROWS_THAT_LEAVE = 250;

/**
 * Publishes what follows from committed batches (`publishChanges`), that of small ones together. A message that is stored and
 * synced costs more than the rows of ten callers.
 *
 * Those that leave together fail together, and each is then published again, perhaps in other company: its records come
 * twice, which is harmless.
 */
export class ChangePublisher {
  readonly #stream: Stream;
  readonly #partitions: number;
  readonly #small: Gathering<CommittedChanges, undefined>;

  constructor(stream: Stream, partitions: number) {
    this.#stream = stream;
    this.#partitions = partitions;
    this.#small = new Gathering({
      work: async (all) => {
        await publishChanges(stream, partitions, all);
        return all.map(() => undefined);
      },
      weigh: ({ prepared }) => prepared.events.count,
      max: ROWS_THAT_LEAVE,
      calls: Number.POSITIVE_INFINITY,
      spacingMs: SPACING_MS,
    });
  }

  /** @throws when the stream does not confirm; all of it is then to be published again */
  publish(changes: CommittedChanges): Promise<void> {
    // Its span goes with its messages alone.
    if (changes.traceparent !== undefined) return publishChanges(this.#stream, this.#partitions, [changes]);
    return this.#small.add(changes);
  }
}

/**
 * Publishes what follows from committed batches: the platform's record of every row that they made or changed, and a
 * settlement of every one that is changed and may have earned something (`Settlement` says why not of a new one). Each goes
 * to the partition of its transaction, which is that of its event: all of one transaction are in one stream of a hop.
 *
 * A message's id names its content, the messages of its partition that it follows from, and their reading: what is cut otherwise
 * the next time, or says something else, has another id, and so has what is sent again after a database was restored.
 * So the stream drops nothing but a true repetition. Receivers key what they get by transaction, so what comes twice is
 * harmless. Where a crash came in between, rows that are new count as changed, and settlements more may come.
 * @param all of which only a lone one is traced
 * @throws when the stream does not confirm; all of it is then published again
 */
export async function publishChanges(
  stream: Stream,
  partitions: number,
  all: readonly CommittedChanges[],
): Promise<void> {
  const messages = all.flatMap((changes) => changes.messages);
  const sources = groupBy(messages, ({ partition }) => partition);
  const traceparent = all[0]?.traceparent;
  const shares = all.map((changes) => shareOut(changes, sources, partitions));
  const publishing = [...sources].flatMap(([partition, own]) => {
    const from = own.map(({ sequence, reading }) => `${nameOf(reading)}-${partition}-${sequence}`).join(",");
    const mine = shares.flatMap((some) => some.get(partition) ?? []);
    const records = mine.flatMap((share) => collectRecords(share));
    const settlements = mine.flatMap((share) => collectSettlements(share));
    const source = { from, partition, traceparent };
    return [
      publishPacked(stream, RECORDS, source, records),
      publishPacked(stream, SETTLEMENTS, source, settlements),
    ];
  });
  await Promise.all(publishing);
}

/** Of each taking over of a partition: a restored database makes everything follow again. */
const READINGS = new WeakMap<ReadFrom, string>();

function nameOf(reading: ReadFrom | undefined): string {
  if (reading === undefined) return "";
  const name = READINGS.get(reading) ?? uuidv7();
  READINGS.set(reading, name);
  return name;
}

/** What all messages of one publication share. */
interface Source {
  /** In their ids: what they follow from. */
  readonly from: string;
  readonly partition: number;
  readonly traceparent: string | undefined;
}

/** The part of a batch for one partition. */
interface Share extends Pick<AppliedBatch, "links"> {
  readonly records: PreparedBatch["records"];
  readonly created: readonly number[];
  readonly changed: readonly ChangedTransaction[];
}

/** A batch's rows by the partitions of their transactions, `sources`: those that its messages came from. */
function shareOut(
  { prepared: { events, records }, applied: { links, created, changed } }: CommittedChanges,
  sources: ReadonlyMap<number, unknown>,
  partitions: number,
): ReadonlyMap<number, Share> {
  const [first] = sources.keys() as Iterable<number> as [number];
  if (sources.size === 1) return new Map([[first, { links, records, created, changed }]]);
  const shares = new Map([...sources.keys()].map((partition) => [partition, emptyShare()]));
  const shareOf = (ord: number) =>
    // A message that was put by hand into the stream of another partition goes with the first.
    shares.get(partitionOf(textAt(events.externalIds, ord), partitions)) ?? (shares.get(first) as Shared);
  for (const ord of created) shareOf(ord).created.push(ord);
  for (const one of changed) shareOf(one.ord).changed.push(one);
  return new Map([...shares].map(([partition, share]) => [partition, { links, records, ...share }]));
}

type Shared = ReturnType<typeof emptyShare>;

function emptyShare(): { readonly created: number[]; readonly changed: ChangedTransaction[] } {
  return { created: [], changed: [] };
}

function collectRecords({ records, links, created, changed }: Share): Entry<Uint8Array>[] {
  const plain = created.filter((ord) => !links.has(ord));
  const entries: Entry<Uint8Array>[] = takeRuns(records, plain, TOGETHER);
  for (const ord of created) {
    const own = links.get(ord);
    if (own !== undefined) entries.push(...addLinks([piecesAt(records, ord, ord)], own));
  }
  for (const { ord, transaction } of changed) {
    const own = links.get(ord);
    const records = writeRecords(transaction);
    if (own === undefined) entries.push(together(records));
    else entries.push(...addLinks(records, own));
  }
  return entries;
}

/** Neighbours are taken as one piece: ten of these make a full message, and each is copied once, into it. */
const TOGETHER = { count: 100, bytes: LIMITS.messageBytes / 32 };

function collectSettlements({ changed }: Share): Entry<string>[] {
  const concerned = changed.filter(({ mayHaveEarned }) => mayHaveEarned);
  return concerned.map(({ transaction: { id, organisationId, state } }) => {
    const settlement: Settlement = { transaction: id, organisation: organisationId, state };
    return { piece: JSON.stringify(settlement), count: 1 };
  });
}

/** How entries become messages of a hop. */
interface Packing<Piece extends string | Uint8Array> {
  readonly hop: Hop;
  pack(pieces: readonly Piece[]): Piece;
}

export const RECORDS: Packing<Uint8Array> = { hop: FLOW.platformTransactions, pack: packRecordMessage };
const SETTLEMENTS: Packing<string> = {
  hop: FLOW.settlement,
  pack: (texts) => `{"v":1,"settlements":[${texts.join(",")}]}`,
};

/** Entries of one message: two full ones make a batch of the receiver's. */
const ENTRIES_MAX = LIMITS.rowsPerBatch / 2;

/**
 * Cuts the entries into messages that NATS takes. Each is named by what it says and what it follows from: the stream drops a
 * true repetition, and nothing else.
 */
export async function publishPacked<Piece extends string | Uint8Array>(
  stream: Stream,
  { hop, pack }: Packing<Piece>,
  { from, partition, traceparent }: Source,
  entries: readonly Entry<Piece>[],
): Promise<void> {
  const pending: Promise<void>[] = [];
  let chunk: Piece[] = [];
  let bytes = 0;
  let rows = 0;
  const flush = () => {
    if (chunk.length === 0) return;
    const payload = pack(chunk);
    pending.push(
      publishOrThrow(stream, {
        subject: subjectName(stream, hop, partition),
        payload,
        id: nameUuid(`${from}\n${hash("sha256", payload)}`),
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
  for (const { piece, count } of entries) {
    const size = Buffer.byteLength(piece) + 1;
    if (bytes + size > LIMITS.messageBytes || rows + count > ENTRIES_MAX) flush();
    chunk.push(piece);
    bytes += size;
    rows += count;
  }
  flush();
  await Promise.all(pending);
}
