import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { groupBy, microsecondsOf, partitionOf, purchaseLinks, type StoredTransaction } from "#domain";
import { longestPauseMs, type Stream } from "#nats";
import type { Store, Transaction } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type Log, repeat } from "#runtime";
import { areOver } from "../open-writers.ts";
import {
  BEFORE_ALL_LINKS,
  dropNewLinks,
  findNewlyLinked,
  type NewLink,
  type NotedLinks,
  noteNewLinks,
  type PurchasesWanted,
  takeNewLinks,
} from "./new-links.ts";
import { addLinks, type Entry, writeRecords } from "./platform-record.ts";
import { publishPacked, RECORDS } from "./publish-changes.ts";

/** The table is nearly always empty, and then a round costs one query. */
const INTERVAL_MS = 250;
const QUIET_MS = 1_000;
/** How soon a round looks again while transactions of ingest are open, which end within a moment. */
const OPEN_MS = 25;
/** Links taken in one database transaction. */
const LINKS_PER_STEP = 1000;
/** Purchases read of each member in one step: nearly every member has made fewer in thirty days … */
const TRANSACTIONS_PER_STEP = 100;
/** … and of a member with more, who is read alone: as many as one message may hold. */
const TRANSACTIONS_PER_MESSAGE = LIMITS.rowsPerBatch / 2;
/** The most bytes for one member's records in one message; leaves room for its head and for other entries. */
const MEMBER_BYTES_MAX = LIMITS.messageBytesMax - LIMITS.messageBytes / 4;

/**
 * A part of the messages' ids that names this process. A restored database publishes the same records again,
 * and without it the stream might drop them as repetitions.
 */
const FROM = uuidv7();

interface Relinking {
  readonly store: Store;
  readonly stream: Stream;
  readonly partitions: number;
  readonly log: Log;
}

/**
 * Publishes enrolments and clips to the platform that count for earlier purchases (contract, section 9):
 * those of the last minute, or of thirty days if the program or deal is retroactive. No event of such a purchase may
 * ever come again, so relinking publishes its records again, with these links.
 *
 * A link's row is deleted once its records are in the stream. After a crash in between they are published
 * again, which changes nothing: the platform merges links. Several processes may do this at the same time.
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
 * One round: until there are no new links; returns true if there were any. It waits only
 * while database transactions are open that may be storing purchases without these links.
 *
 * If a stream refuses the records of its partition, the links of that partition's members stay, and are left
 * out for the longest pause of `Publications` (`longestPauseMs`). Any number of them may wait. So while a partition is left
 * out, a round reads page after page to the end, and the next one goes on from the last full page.
 * @param now in milliseconds
 * @throws the error of a partition, at the end of the round
 */
export function createRelinking(
  { store, ...link }: Relinking,
  now: () => number = () => performance.now(),
): (stop: AbortSignal) => Promise<boolean> {
  /** The partitions that failed, and until when each is left out. */
  const leftOut = new Map<number, number>();
  let place = BEFORE_ALL_LINKS;
  const isMeant = ({ memberId }: NewLink) => !leftOut.has(partitionOf(memberId, link.partitions));
  const tryAgain = () => {
    for (const [partition, until] of leftOut) {
      if (now() < until) continue;
      leftOut.delete(partition);
      place = BEFORE_ALL_LINKS;
    }
  };
  return async (stop) => {
    tryAgain();
    let isBusy = false;
    const errors: unknown[] = [];
    while (!stop.aborted && leftOut.size < link.partitions) {
      const noted = await noteNewLinks(store, LINKS_PER_STEP, place, isMeant);
      const { told, failures } = await tellNoted(store, link, noted, stop);
      for (const [partition, error] of failures) {
        leftOut.set(partition, now() + longestPauseMs(error));
        errors.push(error);
      }
      isBusy ||= noted.links.length > 0;
      if (leftOut.size > 0) {
        place = noted.place;
        if (!noted.isFull) break;
        // If there are links, another process is publishing them, and this round leaves them to it.
      } else if (told === 0) break;
    }
    if (errors.length > 0) throw errors[0];
    return isBusy;
  };
}

/** What is needed to publish some links, and what came of it. */
interface Telling extends Pick<Relinking, "stream" | "partitions"> {
  readonly sql: Transaction;
  readonly links: ReadonlyMap<string, MemberLinks>;
  /** Errors by partition. */
  readonly failures: Map<number, unknown>;
}

interface Told {
  /** The number of links. */
  readonly told: number;
  readonly failures: Telling["failures"];
}

/** Publishes these links, except those that another process has taken, and drops those that are published. */
async function tellNoted(
  store: Store,
  { stream, partitions }: Pick<Relinking, "stream" | "partitions">,
  noted: NotedLinks,
  stop: AbortSignal,
): Promise<Told> {
  const failures: Telling["failures"] = new Map();
  if (noted.links.length === 0) return { told: 0, failures };
  while (!(await areOver(store, noted.writers))) {
    if (stop.aborted) return { told: 0, failures };
    await delay(OPEN_MS);
  }
  return store.begin(async (sql) => {
    const ids = noted.links.map(({ id }) => id);
    const taken = await takeNewLinks(sql, ids);
    if (taken.links.length === 0) return { told: 0, failures };
    const all = await loadMemberLinks(
      sql,
      taken.members.map(({ memberId }) => memberId),
    );
    const own = new Set(taken.links.map(({ id }) => id));
    const links = new Map([...all].map(([memberId, some]) => [memberId, onlyThese(some, own)]));
    const telling = { sql, stream, partitions, links, failures };
    const known = taken.members.filter(({ memberId }) => links.has(memberId));
    const more = await tellSome(telling, known, TRANSACTIONS_PER_STEP);
    // One after the other: each may have a thousand purchases, or several thousand.
    for (const one of more) {
      for (let wanted: readonly PurchasesWanted[] = [one]; wanted.length > 0; ) {
        wanted = await tellSome(telling, wanted, TRANSACTIONS_PER_MESSAGE);
      }
    }
    const told = taken.links.filter(({ memberId }) => !failures.has(partitionOf(memberId, partitions)));
    await dropNewLinks(sql, told);
    return { told: told.length, failures };
  });
}

/**
 * Keeps only the links that are being published. Every other link has a message of its own with all purchases
 * that it makes count. An older clip would be published here for only some of its purchases. The platform
 * reads two messages side by side, and might then give the clip to a purchase that is not the newest.
 */
function onlyThese({ clips, enrolments }: MemberLinks, told: ReadonlySet<string>): MemberLinks {
  return {
    clips: clips.filter(({ id }) => told.has(id)),
    enrolments: enrolments.filter(({ id }) => told.has(id)),
  };
}

/**
 * Publishes the purchases of these members, up to `limit` of each; those of one member go to one partition,
 * the newest first, and in one message: if a new clip makes several of them count, the newest that qualifies
 * has to redeem it, and the receiver handles two messages side by side. A member with `limit` purchases or
 * more is left out of the shared step, and has steps of its own, each with as many as one message can hold.
 *
 * A partition that fails is not tried again here: its members are passed over from then on.
 * @returns the members who may have more
 */
async function tellSome(
  { sql, stream, partitions, links, failures }: Telling,
  members: readonly PurchasesWanted[],
  limit: number,
): Promise<PurchasesWanted[]> {
  const isMeant = ({ memberId }: PurchasesWanted) => !failures.has(partitionOf(memberId, partitions));
  const wanted = members.filter(isMeant);
  if (wanted.length === 0) return [];
  const purchases = new Map<string, StoredTransaction[]>(wanted.map(({ memberId }) => [memberId, []]));
  for (const one of await findNewlyLinked(sql, wanted, limit)) {
    purchases.get(one.memberId as string)?.push(one);
  }
  const more = wanted.filter(({ memberId }) => purchases.get(memberId)?.length === limit);
  const isWhole = limit === TRANSACTIONS_PER_MESSAGE;
  if (!isWhole) for (const { memberId } of more) purchases.delete(memberId);
  const shares = groupBy(purchases.keys(), (memberId) => partitionOf(memberId, partitions));
  const publishing = [...shares].map(([partition, share]) => {
    const entries = share.flatMap((id) => toEntries(purchases.get(id) ?? [], links.get(id)));
    const source = { from: FROM, partition, traceparent: undefined };
    return publishPacked(stream, RECORDS, source, entries).catch((error) => failures.set(partition, error));
  });
  await Promise.all(publishing);
  return isWhole ? more.map((one) => ({ ...one, before: purchases.get(one.memberId)?.at(-1)?.id })) : more;
}

/** Packs the records of a member's purchases for one message; for several only if they are too long. */
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

/** The records of a purchase; none if no link counts for it. */
function toRecords(purchase: StoredTransaction, own: MemberLinks | undefined): Entry<Uint8Array>[] {
  if (own === undefined) return [];
  const links = purchaseLinks(own, microsecondsOf(purchase.authedAt));
  if (links.clips.length + links.enrolments.length === 0) return [];
  return addLinks(writeRecords(purchase), links);
}
