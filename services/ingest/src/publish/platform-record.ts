import { LIMITS } from "#contract";
import { LINK_BYTES, linkRecord, type RecordLinks, writeRecord } from "#contract/codec";
import type { StoredTransaction } from "#domain";

/** Records or settlements that have to stay in one message. */
export interface Entry<Piece extends string | Uint8Array> {
  readonly piece: Piece;
  readonly count: number;
}

export function together(records: readonly Uint8Array[]): Entry<Uint8Array> {
  const [first] = records as [Uint8Array];
  return { piece: records.length === 1 ? first : Buffer.concat(records), count: records.length };
}

/**
 * The records of a transaction (`writeRecord`): one for each descriptor that it had, in their order. The
 * first descriptor that leads to a retailer decides, and the publisher does not know retailers. The records
 * go in one message and are read together, so that the platform never decides on the second alone, in
 * whatever order messages come.
 */
export function writeRecords(transaction: StoredTransaction): Uint8Array[] {
  const { firstDescriptor } = transaction;
  const record = writeRecord(transaction);
  if (firstDescriptor === null) return [record];
  return [writeRecord({ ...transaction, statementDescriptor: firstDescriptor }), record];
}

/**
 * The most links in one record: they fill half of a message, and the other half is for the rest of the
 * record. NATS accepts twice that size, so two such records still fit in one message.
 */
const LINKS_PER_RECORD = LIMITS.messageBytes / 2 / LINK_BYTES;

/**
 * Adds the links that count for the purchase to its records. Nearly always everything stays together. A
 * member with thousands of links would make a message that NATS refuses for ever. The records are then cut
 * into several of the same transaction, each with a part of the links; the platform merges them, in any
 * order.
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
