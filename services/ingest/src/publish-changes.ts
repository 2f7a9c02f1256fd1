import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, type Hop, LIMITS } from "#contract";
import { type Run, takeRuns, textAt } from "#contract/codec";
import type { Settlement } from "#contract/ingest";
import { encodeId, groupByPartition, nameUuid, partitionOf } from "#domain";
import { publishOrThrow, type ReadFrom, type Stream, type StreamMessage, subjectName } from "#nats";
import { Gathering } from "#runtime";
import { NO_LINKS, writeRecords } from "./platform-record.ts";
import type { PreparedBatch } from "./prepare-batch.ts";
import type { AppliedBatch, ChangedTransaction } from "./transactions/apply-events.ts";

/** A committed batch that something follows from. */
export interface CommittedChanges {
  readonly messages: readonly Pick<StreamMessage, "partition" | "sequence" | "reading">[];
  readonly prepared: PreparedBatch;
  readonly applied: AppliedBatch;
  /** What continues the batch's span at the receivers, where it is traced. */
  readonly traceparent?: string | undefined;
}

/** What follows from batches is published at most so often, unless it is much: nobody waits for it with an open request. */
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
  const sources = groupByPartition(messages, ({ partition }) => partition);
  const traceparent = all[0]?.traceparent;
  const shares = all.map((changes) => shareOut(changes, sources, partitions));
  const publishing = [...sources].flatMap(([partition, own]) => {
    const from = own.map(({ sequence, reading }) => `${nameOf(reading)}-${partition}-${sequence}`).join(",");
    const mine = shares.flatMap((some) => some.get(partition) ?? []);
    const records = mine.flatMap((share) => collectRecords(share));
    const settlements = mine.flatMap((share) => collectSettlements(share));
    const source = { from, partition, traceparent };
    return [
      publishPacked(stream, FLOW.platformTransactions, "records", source, records),
      publishPacked(stream, FLOW.settlement, "settlements", source, settlements),
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

/** What messages that are published together have in common. */
interface Source {
  /** In their ids: what they follow from. */
  readonly from: string;
  readonly partition: number;
  readonly traceparent: string | undefined;
}

/** What of a batch goes to one partition. */
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
    // What somebody has put into a stream by hand, into another one than its own, goes with the first.
    shares.get(partitionOf(textAt(events.externalIds, ord), partitions)) ?? (shares.get(first) as Shared);
  for (const ord of created) shareOf(ord).created.push(ord);
  for (const one of changed) shareOf(one.ord).changed.push(one);
  return new Map([...shares].map(([partition, share]) => [partition, { links, records, ...share }]));
}

type Shared = ReturnType<typeof emptyShare>;

function emptyShare(): { readonly created: number[]; readonly changed: ChangedTransaction[] } {
  return { created: [], changed: [] };
}

function collectRecords({ records, links, created, changed }: Share): Run[] {
  const runs = takeRuns(
    records,
    created.filter((ord) => !links.has(ord)),
  );
  for (const ord of created) {
    const own = links.get(ord);
    if (own !== undefined) runs.push(...addLinks([textAt(records, ord)], own));
  }
  for (const { ord, transaction } of changed) {
    const own = links.get(ord);
    const records = writeRecords(transaction);
    if (own === undefined) runs.push(together(records));
    else runs.push(...addLinks(records, own));
  }
  return runs;
}

function collectSettlements({ changed }: Share): Run[] {
  const concerned = changed.filter(({ mayHaveEarned }) => mayHaveEarned);
  return concerned.map(({ transaction: { id, organisationId, state } }) => {
    const settlement: Settlement = { transaction: id, organisation: organisationId, state };
    return together([JSON.stringify(settlement)]);
  });
}

/** What stays in one message. */
export function together(texts: readonly string[]): Run {
  return { text: texts.join(), count: texts.length };
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
  { from, partition, traceparent }: Source,
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
        subject: subjectName(stream, hop, partition),
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

/** Of one purchase: those that count for it. UUIDs. */
export interface PublishedLinks {
  readonly clips: readonly { readonly id: string; readonly dealId: string }[];
  readonly enrolments: readonly { readonly id: string; readonly loyaltyProgramId: string }[];
}

/**
 * Bytes of links in one record, at most: half of a message, whose other half is room for the rest of the record. NATS takes twice as
 * much, so two such records are one message, too. Ids are of fixed length, so links are counted and not measured.
 */
const LINK_BYTES_MAX = LIMITS.messageBytes / 2;
/** The longer kind, `{"stamp_collection_id":"sc_…","loyalty_program_id":"lp_…"},`, with room to spare. */
const LINK_BYTES = 128;
const LINKS_PER_RECORD = Math.floor(LINK_BYTES_MAX / LINK_BYTES);

/**
 * The same records with the links that count for them: nearly always together. A member with thousands of them would make a message
 * that NATS refuses for ever, so they are cut into several of the same transaction with a part of the links each; the platform
 * takes them together, whatever comes first.
 * @param records of one transaction
 */
export function addLinks(records: readonly string[], links: PublishedLinks): Run[] {
  const { clips, enrolments } = links;
  const add = (some: PublishedLinks) => together(records.map((record) => addSomeLinks(record, some)));
  if (clips.length + enrolments.length <= LINKS_PER_RECORD) return [add(links)];
  const runs: Run[] = [];
  for (let at = 0; at < clips.length; at += LINKS_PER_RECORD) {
    runs.push(add({ clips: clips.slice(at, at + LINKS_PER_RECORD), enrolments: [] }));
  }
  for (let at = 0; at < enrolments.length; at += LINKS_PER_RECORD) {
    runs.push(add({ clips: [], enrolments: enrolments.slice(at, at + LINKS_PER_RECORD) }));
  }
  return runs;
}

/** Ids need no escaping, so this is JSON as it stands; written by hand, since nearly every record may have links. */
function addSomeLinks(record: string, { clips, enrolments }: PublishedLinks): string {
  const clipTexts = clips.map(
    ({ id, dealId }) => `{"clip_id":"${encodeId("clip", id)}","deal_id":"${encodeId("deal", dealId)}"}`,
  );
  const enrolmentTexts = enrolments.map(
    ({ id, loyaltyProgramId }) =>
      `{"stamp_collection_id":"${encodeId("sc", id)}","loyalty_program_id":"${encodeId("lp", loyaltyProgramId)}"}`,
  );
  const without = record.slice(0, -NO_LINKS.length);
  return `${without},"clips":[${clipTexts.join()}],"enrolments":[${enrolmentTexts.join()}]}`;
}
