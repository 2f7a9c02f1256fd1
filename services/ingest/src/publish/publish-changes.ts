import { hash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { packRecordMessage, piecesAt, takeRuns, textAt } from "#contract/codec";
import type { Settlement } from "#contract/ingest";
import { groupBy, nameUuid, partitionOf } from "#domain";
import {
  publishOrThrow,
  type ReadFrom,
  type Stream,
  type StreamMessage,
  subjectName,
  UnpublishedPartitions,
} from "#nats";
import { Gathering } from "#runtime";
import type { AppliedBatch, ChangedTransaction } from "../batch/apply-events.ts";
import type { PreparedBatch } from "../batch/prepare-batch.ts";
import { addLinks, type Entry, together, writeRecords } from "./platform-record.ts";

/** A committed batch whose changes are to be published. */
export interface CommittedChanges {
  readonly messages: readonly Pick<StreamMessage, "partition" | "sequence" | "reading">[];
  readonly prepared: PreparedBatch;
  readonly applied: AppliedBatch;
  /** Continues the batch's span at the receivers; undefined: the batch is not traced. */
  readonly traceparent?: string | undefined;
}

/**
 * The least time between publications, unless many rows wait. No caller with an open request waits for them.
 */
const SPACING_MS = 50;
/**
 * From this many rows on, they are published without waiting: the loop lets only twice as many rows be
 * published concurrently with its batches.
 */
export const ROWS_THAT_LEAVE = 250;

/**
 * Publishes the changes of committed batches (`publishChanges`); those of small batches together. Storing and
 * syncing one message costs more than the rows of ten callers.
 *
 * What failed is published again alone, so that others do not wait for it once more: its records may come
 * twice, which is harmless.
 */
export class ChangePublisher {
  readonly #stream: Stream;
  readonly #partitions: number;
  readonly #small: Gathering<CommittedChanges, Failures>;

  constructor(stream: Stream, partitions: number) {
    this.#stream = stream;
    this.#partitions = partitions;
    this.#small = new Gathering({
      work: async (all) => {
        const failures = await publishChanges(stream, partitions, all);
        return all.map(() => failures);
      },
      weigh: ({ prepared }) => prepared.events.count,
      max: ROWS_THAT_LEAVE,
      calls: Number.POSITIVE_INFINITY,
      spacingMs: SPACING_MS,
    });
  }

  /**
   * @param again the partitions that failed before; undefined: the first attempt, of all
   * @throws UnpublishedPartitions if a stream does not confirm; the caller then publishes these again
   */
  async publish(changes: CommittedChanges, again?: ReadonlySet<number>): Promise<void> {
    // Published alone, so that its span covers only its own messages.
    const isAlone = changes.traceparent !== undefined || again !== undefined;
    const failures = isAlone
      ? await publishChanges(this.#stream, this.#partitions, [changes], again)
      : await this.#small.add(changes);
    if (failures.size === 0) return;
    const own = new Set(changes.messages.map(({ partition }) => partition));
    const ofOwn = [...failures].filter(([partition]) => own.has(partition));
    if (ofOwn.length > 0) throw new UnpublishedPartitions(new Map(ofOwn));
  }
}

/** Errors by partition. */
type Failures = ReadonlyMap<number, unknown>;

/**
 * Publishes the changes of committed batches: the platform's record of every row that they created or
 * changed, and a settlement of every changed row that may have earned something (`Settlement` says why new
 * rows have none). Each goes to the partition of its transaction, which is the partition of its event: one
 * stream of each hop has all messages of a transaction.
 *
 * A message's id is derived from its content, from the messages of its partition that it follows from, and
 * from their reading. If a retry cuts messages differently, or the content differs, or a restored database
 * sends it again, the id differs. So the stream drops only true repetitions. Receivers merge by transaction,
 * so that repetitions are harmless. After a crash in between, new rows count as changed, and there may be
 * more settlements.
 * @param all only a batch that comes alone may be traced
 * @param only of these partitions; undefined: of all
 * @returns the partitions whose streams did not confirm; the caller then publishes all of theirs again
 */
export async function publishChanges(
  stream: Stream,
  partitions: number,
  all: readonly CommittedChanges[],
  only?: ReadonlySet<number>,
): Promise<Failures> {
  const messages = all.flatMap((changes) => changes.messages);
  const wanted = messages.filter(({ partition }) => only?.has(partition) !== false);
  const sources = groupBy(wanted, ({ partition }) => partition);
  const traceparent = all[0]?.traceparent;
  const shares = all.map((changes) => shareOut(changes, partitions));
  const failures = new Map<number, unknown>();
  const publishing = [...sources].map(async ([partition, own]) => {
    const from = own.map(({ sequence, reading }) => `${nameOf(reading)}-${partition}-${sequence}`).join(",");
    const mine = shares.flatMap((some) => some.get(partition) ?? []);
    const records = mine.flatMap((share) => collectRecords(share));
    const settlements = mine.flatMap((share) => collectSettlements(share));
    const source = { from, partition, traceparent };
    await Promise.all([
      publishPacked(stream, RECORDS, source, records),
      publishPacked(stream, SETTLEMENTS, source, settlements),
    ]).catch((error) => failures.set(partition, error));
  });
  await Promise.all(publishing);
  return failures;
}

/** One for each take-over of a partition: after a restore of the database everything is published again. */
const READINGS = new WeakMap<ReadFrom, string>();

function nameOf(reading: ReadFrom | undefined): string {
  if (reading === undefined) return "";
  const name = READINGS.get(reading) ?? uuidv7();
  READINGS.set(reading, name);
  return name;
}

/** Shared by all messages of one publication. */
interface Source {
  /** The part of their ids that names the messages they follow from. */
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

/** Splits a batch's rows by the partitions of their transactions. */
function shareOut(
  { messages, prepared: { events, records }, applied: { links, created, changed } }: CommittedChanges,
  partitions: number,
): ReadonlyMap<number, Share> {
  const shares = new Map(messages.map(({ partition }) => [partition, emptyShare()]));
  const [first] = shares.keys() as Iterable<number> as [number];
  if (shares.size === 1) return new Map([[first, { links, records, created, changed }]]);
  const shareOf = (ord: number) =>
    // A message that was put into the stream of another partition by hand goes with the first.
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

/**
 * Adjacent entries are joined into one piece, so that each is copied once into its message. Ten pieces make a
 * full message.
 */
const TOGETHER = { count: 100, bytes: LIMITS.messageBytes / 32 };

function collectSettlements({ changed }: Share): Entry<string>[] {
  const concerned = changed.filter(({ mayHaveEarned }) => mayHaveEarned);
  return concerned.map(({ transaction: { id, organisationId, state } }) => {
    const settlement: Settlement = { transaction: id, organisation: organisationId, state };
    return { piece: JSON.stringify(settlement), count: 1 };
  });
}

/** How to pack entries into messages of a hop. */
interface Packing<Piece extends string | Uint8Array> {
  readonly hop: Hop;
  pack(pieces: readonly Piece[]): Piece;
}

export const RECORDS: Packing<Uint8Array> = { hop: FLOW.platformTransactions, pack: packRecordMessage };
const SETTLEMENTS: Packing<string> = {
  hop: FLOW.settlement,
  pack: (texts) => `{"v":1,"settlements":[${texts.join(",")}]}`,
};

/** The most entries in one message: two full ones make one batch of the receiver. */
const ENTRIES_MAX = LIMITS.rowsPerBatch / 2;

/**
 * Packs the entries into messages that NATS accepts. Each id is derived from content and source: the stream
 * drops only true repetitions.
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
