import { uuidv7 } from "uuidv7";
import { FLOW, HEADERS, LIMITS } from "#contract";
import { nameUuid, purchaseLinks } from "#domain";
import { microsecondsOf } from "#domain/platform";
import { publishOrThrow, type Stream, subjectName } from "#nats";
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
import { addLinks } from "./platform-record.ts";
import { areOver } from "./unlink-deleted-members.ts";
import { writeRecord } from "./write-record.ts";

/** The table is nearly always empty, and then a round is one look at it. */
const INTERVAL_MS = 1_000;
/** Taken at once, in one database transaction. */
const LINKS_PER_STEP = 50;
/** Of one member, in one message's worth of records. */
const TRANSACTIONS_PER_STEP = 500;

interface Relinking {
  readonly store: Store;
  readonly stream: Stream;
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
function createRelinking({ store, stream }: Relinking): (stop: AbortSignal) => Promise<void> {
  let noted: NotedLinks | undefined;
  return async (stop) => {
    noted ??= await noteNewLinks(store, LINKS_PER_STEP);
    while (!stop.aborted && noted !== undefined && (await areOver(store, noted.writers))) {
      await tell(store, stream, noted.ids);
      noted = await noteNewLinks(store, LINKS_PER_STEP);
    }
  };
}

/** Tells the platform of these links, but for those that another process is about to tell of. */
async function tell(store: Store, stream: Stream, ids: readonly string[]): Promise<void> {
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
        const records = transactions.flatMap((one) =>
          addLinks(writeRecord(one), purchaseLinks(own, microsecondsOf(one.authedAt))),
        );
        await publish(stream, records);
      }
    }
    if (links.length > 0) await dropNewLinks(sql, links);
  });
}

/** A restored database says the same again, perhaps within the time in which the stream drops repetitions. */
const PROCESS = uuidv7();

/**
 * In messages that NATS takes. Their ids name what they say: the same again from this process may be dropped, anything else
 * may not.
 */
async function publish(stream: Stream, records: readonly string[]): Promise<void> {
  let chunk: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (chunk.length === 0) return;
    const hop = FLOW.platformTransactions;
    const payload = `{"v":1,"records":[${chunk.join(",")}]}`;
    const headers = { [HEADERS.rows]: String(chunk.length) };
    const id = `${hop.stream}-${PROCESS}-${nameUuid(payload)}`;
    chunk = [];
    bytes = 0;
    await publishOrThrow(stream, { subject: subjectName(stream, hop), payload, id, headers });
  };
  for (const record of records) {
    const size = Buffer.byteLength(record) + 1;
    if (bytes + size > LIMITS.messageBytes) await flush();
    chunk.push(record);
    bytes += size;
  }
  await flush();
}
