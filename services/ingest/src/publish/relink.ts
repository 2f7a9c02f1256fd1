import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { groupBy, microsecondsOf, partitionOf, purchaseLinks, type StoredTransaction } from "#domain";
import type { Stream } from "#nats";
import type { Store, Transaction } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type Log, repeat } from "#runtime";
import { areOver } from "../open-writers.ts";
import {
  dropNewLinks,
  findNewlyLinked,
  type NotedLinks,
  noteNewLinks,
  type PurchasesWanted,
  takeNewLinks,
} from "./new-links.ts";
import { addLinks, type Entry, writeRecords } from "./platform-record.ts";
import { publishPacked, RECORDS } from "./publish-changes.ts";

/** The table is nearly always empty, and then a round is one look at it. */
const INTERVAL_MS = 250;
const QUIET_MS = 1_000;
/** Ingest's open transactions end within a moment; a round looks again this often. */
const OPEN_MS = 25;
/** Taken at once, in one database transaction. */
const LINKS_PER_STEP = 1000;
/** Purchases of each member at once: nearly every member has bought less in thirty days … */
const TRANSACTIONS_PER_STEP = 100;
/** … and of one who has not, read alone: what one message may hold. */
const TRANSACTIONS_PER_MESSAGE = LIMITS.rowsPerBatch / 2;
/** Of one member's records in one message; room is left for its head, and for what is beside them. */
const MEMBER_BYTES_MAX = LIMITS.messageBytesMax - LIMITS.messageBytes / 4;

/** Of this process: a restored database says the same again, perhaps within the time in which the stream drops repetitions. */
const FROM = uuidv7();

interface Relinking {
  readonly store: Store;
  readonly stream: Stream;
  readonly partitions: number;
  readonly log: Log;
}

/**
 * Tells the platform of enrolments and clips that count for purchases of before they were made (contract,
 * section 9): those of the minute before, or of thirty days, where the program is retroactive. No message of
 * such a purchase need ever come again, so their records are published again, with these links.
 *
 * A link's row goes once its records are in the stream. After a crash in between they are published again, which
 * changes nothing: the platform adds links up. Several processes may do it at the same time.
 */
export function startRelinking(parts: Relinking): () => Promise<void> {
  const { stop } = repeat({
    name: "new links",
    everyMs: INTERVAL_MS,
    quietMs: QUIET_MS,
    work: createRelinking(parts),
    failed: "new enrolments and clips wait to be told to the platform",
    log: parts.log,
  });
  return stop;
}

/**
 * One round: until there are no new links; true if there were any. Those whose purchases may still be under way it waits for, and
 * for nothing else.
 */
export function createRelinking({ store, ...link }: Relinking): (stop: AbortSignal) => Promise<boolean> {
  let noted: NotedLinks | undefined;
  return async (stop) => {
    noted ??= await noteNewLinks(store, LINKS_PER_STEP);
    const isBusy = noted !== undefined;
    while (!stop.aborted && noted !== undefined) {
      if (!(await areOver(store, noted.writers))) {
        await delay(OPEN_MS);
        continue;
      }
      const told = await tell(store, link, noted.ids);
      // Where it is none, another process is telling them: there is nothing to do but to leave them to it.
      noted = told > 0 ? await noteNewLinks(store, LINKS_PER_STEP) : undefined;
    }
    return isBusy;
  };
}

/** Tells the platform of these links, but for those that another process is about to tell of; returns of how many. */
async function tell(
  store: Store,
  link: Pick<Relinking, "stream" | "partitions">,
  noted: readonly string[],
): Promise<number> {
  return store.begin(async (sql) => {
    const { ids, members } = await takeNewLinks(sql, noted);
    if (ids.length === 0) return 0;
    const all = await loadMemberLinks(
      sql,
      members.map(({ memberId }) => memberId),
    );
    const told = new Set(ids);
    const links = new Map([...all].map(([memberId, own]) => [memberId, onlyThese(own, told)]));
    const known = members.filter(({ memberId }) => links.has(memberId));
    const more = await tellSome(sql, link, links, known, TRANSACTIONS_PER_STEP);
    // One after the other: each may have a thousand purchases, or a multiple of that.
    for (const one of more) {
      for (let wanted: readonly PurchasesWanted[] = [one]; wanted.length > 0; ) {
        wanted = await tellSome(sql, link, links, wanted, TRANSACTIONS_PER_MESSAGE);
      }
    }
    await dropNewLinks(sql, ids);
    return ids.length;
  });
}

/**
 * Only the links that are being told. Every other link has a message of its own, with all purchases that it makes count. If an older
 * clip were told here as well, it would be told for some of its purchases only. The platform reads two messages side by side, and
 * might give the clip to another purchase than the newest.
 */
function onlyThese({ clips, enrolments }: MemberLinks, told: ReadonlySet<string>): MemberLinks {
  return {
    clips: clips.filter(({ id }) => told.has(id)),
    enrolments: enrolments.filter(({ id }) => told.has(id)),
  };
}

/**
 * Publishes these members' purchases, up to `limit` of each, those of one member in one partition and the newest first: where a new
 * clip makes several of them count at once, the newest that qualifies redeems it. So they are in one message, too: the receiver
 * takes two beside each other. Of a member with more than its limit nothing is published in the step of many, but all that one
 * message can hold in a step of its own.
 * @returns the members of whom there may be more
 */
async function tellSome(
  sql: Transaction,
  { stream, partitions }: Pick<Relinking, "stream" | "partitions">,
  links: ReadonlyMap<string, MemberLinks>,
  wanted: readonly PurchasesWanted[],
  limit: number,
): Promise<PurchasesWanted[]> {
  const purchases = new Map<string, StoredTransaction[]>(wanted.map(({ memberId }) => [memberId, []]));
  for (const one of await findNewlyLinked(sql, wanted, limit)) {
    purchases.get(one.memberId as string)?.push(one);
  }
  const more = wanted.filter(({ memberId }) => purchases.get(memberId)?.length === limit);
  const isWhole = limit === TRANSACTIONS_PER_MESSAGE;
  if (!isWhole) for (const { memberId } of more) purchases.delete(memberId);
  const shares = groupBy(purchases.keys(), (memberId) => partitionOf(memberId, partitions));
  for (const [partition, share] of shares) {
    const entries = share.flatMap((id) => toEntries(purchases.get(id) ?? [], links.get(id)));
    const source = { from: FROM, partition, traceparent: undefined };
    await publishPacked(stream, RECORDS, source, entries);
  }
  return isWhole ? more.map((one) => ({ ...one, before: purchases.get(one.memberId)?.at(-1)?.id })) : more;
}

/** The records of a member's purchases as what is in one message; several only where they are too long for that. */
function toEntries(
  purchases: readonly StoredTransaction[],
  own: MemberLinks | undefined,
): Entry<Uint8Array>[] {
  const messages: { pieces: Uint8Array[]; bytes: number; count: number }[] = [];
  for (const { piece, count } of purchases.flatMap((one) => toRecords(one, own))) {
    const last = messages.at(-1);
    if (last === undefined || last.bytes + piece.length > MEMBER_BYTES_MAX)
      messages.push({ pieces: [piece], bytes: piece.length, count });
    else {
      last.pieces.push(piece);
      last.bytes += piece.length;
      last.count += count;
    }
  }
  return messages.map(({ pieces, count }) => ({ piece: Buffer.concat(pieces), count }));
}

/** The records of a purchase: none if no link counts for it. */
function toRecords(purchase: StoredTransaction, own: MemberLinks | undefined): Entry<Uint8Array>[] {
  if (own === undefined) return [];
  const links = purchaseLinks(own, microsecondsOf(purchase.authedAt));
  if (links.clips.length + links.enrolments.length === 0) return [];
  return addLinks(writeRecords(purchase), links);
}
