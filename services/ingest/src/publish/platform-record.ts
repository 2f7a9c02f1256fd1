import { LIMITS } from "#contract";
import { LINK_BYTES, linkRecord, type RecordLinks, writeRecord } from "#contract/codec";
import type { StoredTransaction } from "#domain";

/** Records or settlements that stay together in one message. */
export interface Entry<Piece extends string | Uint8Array> {
  readonly piece: Piece;
  readonly count: number;
}

export function together(records: readonly Uint8Array[]): Entry<Uint8Array> {
  const [first] = records as [Uint8Array];
  return { piece: records.length === 1 ? first : Buffer.concat(records), count: records.length };
}

/**
 * The records of a transaction (`writeRecord`): one for each descriptor that it had, the first one first. The
 * first by which it has a retailer stands, and the publisher does not know retailers. They go in one message,
 * whose records are read together: the platform never decides by the second alone, in any order of messages.
 */
export function writeRecords(transaction: StoredTransaction): Uint8Array[] {
  const { firstDescriptor } = transaction;
  const record = writeRecord(transaction);
  if (firstDescriptor === null) return [record];
  return [writeRecord({ ...transaction, statementDescriptor: firstDescriptor }), record];
}

/**
 * Links of one record, at most: half of a message, whose other half is room for the rest of the record. NATS takes twice as
 * much, so two such records are one message, too.
 */
const LINKS_PER_RECORD = LIMITS.messageBytes / 2 / LINK_BYTES;

/**
 * The same records with the links that count for them: nearly always together. A member with thousands of
 * them would make a message that NATS refuses for ever, so they are cut into several of the same transaction
 * with a part of the links each; the platform takes them together, in any order.
 * @param records of one transaction
 */
export function addLinks(records: readonly Uint8Array[], links: RecordLinks): Entry<Uint8Array>[] {
  const { clips, enrolments } = links;
  const add = (some: RecordLinks) => together(records.map((record) => linkRecord(record, some)));
  if (clips.length + enrolments.length <= LINKS_PER_RECORD) return [add(links)];
  const entries: Entry<Uint8Array>[] = [];
  for (let at = 0; at < clips.length; at += LINKS_PER_RECORD) {
    entries.push(add({ clips: clips.slice(at, at + LINKS_PER_RECORD), enrolments: [] }));
  }
  for (let at = 0; at < enrolments.length; at += LINKS_PER_RECORD) {
    entries.push(add({ clips: [], enrolments: enrolments.slice(at, at + LINKS_PER_RECORD) }));
  }
  return entries;
}
