import { setTimeout as delay } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { FLOW } from "#contract";
import {
  groupByPartition,
  microsecondsOf,
  partitionOf,
  purchaseLinks,
  type StoredTransaction,
} from "#domain";
import type { Stream } from "#nats";
import type { Store, Transaction } from "#postgres";
import { loadMemberLinks, type MemberLinks } from "#publisher-db";
import { type Log, repeat } from "#runtime";
import {
  dropNewLinks,
  findNewlyLinked,
  type NotedLinks,
  noteNewLinks,
  type PurchasesWanted,
  takeNewLinks,
} from "./links/new-links.ts";
import { areOver } from "./open-writers.ts";
import { writeRecord } from "./platform-record.ts";
import { addLinks, alone, publishPacked } from "./publish-changes.ts";

/** The table is nearly always empty, and then a round is one look at it. */
const INTERVAL_MS = 250;
/** What ingest has open is over after a moment, and a round looks again so often. */
const OPEN_MS = 25;
/** Taken at once, in one database transaction. */
const LINKS_PER_STEP = 1000;
/** Of one member at once: nearly everybody has bought less in thirty days. */
const TRANSACTIONS_PER_STEP = 100;

/** Of this process: a restored database says the same again, perhaps within the time in which the stream drops repetitions. */
const FROM = uuidv7();

interface Relinking {
  readonly store: Store;
  readonly stream: Stream;
  readonly partitions: number;
  readonly log: Log;
}

/**
 * Tells the platform of enrolments and clips that count for purchases of before they were made (contract, section 9): those of
 * the minute before, or of thirty days, where the program is retroactive. No message of such a purchase need ever come again,
 * so their records are published anew, with all links that count by now.
 *
 * A link's row goes once its records are in the stream. After a crash in between they are published again, which
 * changes nothing: the platform adds links up. Several processes may do it at the same time.
 */
export function startRelinking(parts: Relinking): () => Promise<void> {
  const { stop } = repeat({
    name: "new links",
    everyMs: INTERVAL_MS,
    work: createRelinking(parts),
    failed: "new enrolments and clips wait to be told to the platform",
    log: parts.log,
  });
  return stop;
}

/** One round: until there are no new links. Those whose purchases may still be under way it waits for, and for nothing else. */
export function createRelinking({ store, ...link }: Relinking): (stop: AbortSignal) => Promise<void> {
  let noted: NotedLinks | undefined;
  return async (stop) => {
    noted ??= await noteNewLinks(store, LINKS_PER_STEP);
    while (!stop.aborted && noted !== undefined) {
      if (!(await areOver(store, noted.writers))) {
        await delay(OPEN_MS);
        continue;
      }
      const told = await tell(store, link, noted.ids);
      // Where it is none, another process is telling them: there is nothing to do but to leave them to it.
      noted = told > 0 ? await noteNewLinks(store, LINKS_PER_STEP) : undefined;
    }
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
    const links = await loadMemberLinks(
      sql,
      members.map(({ memberId }) => memberId),
    );
    let wanted: readonly PurchasesWanted[] = members.filter(({ memberId }) => links.has(memberId));
    while (wanted.length > 0) wanted = await tellSome(sql, link, links, wanted);
    await dropNewLinks(sql, ids);
    return ids.length;
  });
}

/**
 * Publishes a page of each of these members' purchases, those of one member in one partition and the newest first: where a new
 * clip makes several of them count at once, the newest that qualifies redeems it.
 * @returns the members of whom there may be more
 */
async function tellSome(
  sql: Transaction,
  { stream, partitions }: Pick<Relinking, "stream" | "partitions">,
  links: ReadonlyMap<string, MemberLinks>,
  wanted: readonly PurchasesWanted[],
): Promise<PurchasesWanted[]> {
  const purchases = await findNewlyLinked(sql, wanted, TRANSACTIONS_PER_STEP);
  const shares = groupByPartition(purchases, ({ memberId }) => partitionOf(memberId as string, partitions));
  for (const [partition, share] of shares) {
    const records = share.flatMap((one) => toRecords(one, links.get(one.memberId as string)));
    const source = { from: FROM, partition, traceparent: undefined };
    await publishPacked(stream, FLOW.platformTransactions, "records", source, records.map(alone));
  }
  const found = new Map<string | null, { count: number; last: string }>();
  for (const { memberId, id } of purchases) {
    found.set(memberId, { count: (found.get(memberId)?.count ?? 0) + 1, last: id });
  }
  return wanted.flatMap((one) => {
    const own = found.get(one.memberId);
    return own?.count === TRANSACTIONS_PER_STEP ? { ...one, before: own.last } : [];
  });
}

/** The records of a purchase: none if no link counts for it. */
function toRecords(purchase: StoredTransaction, own: MemberLinks | undefined): string[] {
  if (own === undefined) return [];
  const links = purchaseLinks(own, microsecondsOf(purchase.authedAt));
  if (links.clips.length + links.enrolments.length === 0) return [];
  return addLinks(writeRecord(purchase), links);
}
