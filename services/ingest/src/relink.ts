import { uuidv7 } from "uuidv7";
import { FLOW, LIMITS } from "#contract";
import { groupByPartition, microsecondsOf, partitionOf, purchaseLinks } from "#domain";
import type { Stream } from "#nats";
import type { Store } from "#postgres";
import { loadMemberLinks } from "#publisher-db";
import { type Log, repeat } from "#runtime";
import {
  dropNewLinks,
  findNewlyLinked,
  type NotedLinks,
  noteNewLinks,
  takeNewLinks,
} from "./links/new-links.ts";
import { writeRecord } from "./platform-record.ts";
import { addLinks, alone, publishPacked } from "./publish-changes.ts";
import { areOver } from "./unlink-deleted-members.ts";

/** The table is nearly always empty, and then a round is one look at it. */
const INTERVAL_MS = 1_000;
/** Taken at once, in one database transaction. */
const LINKS_PER_STEP = 50;
/** Of one member, in one message's worth of records. */
const TRANSACTIONS_PER_STEP = 500;

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
 * the minute before, or of the time in which a payment may still be found, where the program is retroactive. No message of
 * such a purchase need ever come again, so their records are published anew, with all links that count by now.
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

/** One round. It waits for nothing: links whose purchases may still be under way are left to a later one. */
function createRelinking({ store, ...link }: Relinking): (stop: AbortSignal) => Promise<void> {
  let noted: NotedLinks | undefined;
  return async (stop) => {
    noted ??= await noteNewLinks(store, LINKS_PER_STEP);
    while (!stop.aborted && noted !== undefined && (await areOver(store, noted.writers))) {
      await tell(store, link, noted.ids);
      noted = await noteNewLinks(store, LINKS_PER_STEP);
    }
  };
}

/** Tells the platform of these links, but for those that another process is about to tell of. */
async function tell(
  store: Store,
  { stream, partitions }: Pick<Relinking, "stream" | "partitions">,
  ids: readonly string[],
): Promise<void> {
  await store.begin(async (sql) => {
    const links = await takeNewLinks(sql, ids);
    for (const link of links) {
      const own = (await loadMemberLinks(sql, [link.memberId])).get(link.memberId);
      let after: string | undefined;
      for (let found = TRANSACTIONS_PER_STEP; own !== undefined && found === TRANSACTIONS_PER_STEP; ) {
        const page = { reachMs: LIMITS.matchWindowMs, after, limit: TRANSACTIONS_PER_STEP };
        const transactions = await findNewlyLinked(sql, link, page);
        found = transactions.length;
        after = transactions.at(-1)?.id;
        const shares = groupByPartition(transactions, ({ externalId }) =>
          partitionOf(externalId, partitions),
        );
        for (const [partition, share] of shares) {
          const records = share.flatMap((one) =>
            addLinks(writeRecord(one), purchaseLinks(own, microsecondsOf(one.authedAt))),
          );
          const source = { from: FROM, partition, traceparent: undefined };
          await publishPacked(stream, FLOW.platformTransactions, "records", source, records.map(alone));
        }
      }
    }
    if (links.length > 0) await dropNewLinks(sql, links);
  });
}
