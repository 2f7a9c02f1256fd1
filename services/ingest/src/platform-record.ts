import { encodeId, type StoredTransaction } from "#domain";

/** The part of a transaction that leaves for the platform. */
type Published = Pick<
  StoredTransaction,
  | "id"
  | "identifier6"
  | "identifier8"
  | "merchantId"
  | "statementDescriptor"
  | "authedAt"
  | "clearedAt"
  | "revertedAt"
>;

/** How the record of a member without links ends. */
export const NO_LINKS = ',"clips":[],"enrolments":[]}';

/**
 * The records of a transaction (`writeRecord`): one for each descriptor that it had, the first one first. The first by which it has
 * a retailer stands, and the publisher does not know retailers. They go in one message, whose records are read together: the
 * platform never decides by the second alone, in whatever order messages come.
 */
export function writeRecords(transaction: StoredTransaction): string[] {
  const { firstDescriptor } = transaction;
  const record = writeRecord(transaction);
  if (firstDescriptor === null) return [record];
  return [writeRecord({ ...transaction, statementDescriptor: firstDescriptor }), record];
}

/**
 * The JSON of a `PlatformRecord` whose member has no links; those are known only after the commit. It is written by
 * hand, field by field, so that nothing gets in that is not named here; ids, hashes and timestamps need no escaping.
 */
export function writeRecord(transaction: Published): string {
  const { id, identifier6, identifier8, merchantId, statementDescriptor } = transaction;
  const { authedAt, clearedAt, revertedAt } = transaction;
  const second = identifier8 === null ? "" : `,"${identifier8}"`;
  let record = `{"transaction_id":"${encodeId("tx", id)}","identifiers":["${identifier6}"${second}]`;
  record += `,"merchant_id":${JSON.stringify(merchantId)}`;
  if (statementDescriptor !== null)
    record += `,"statement_descriptor":${JSON.stringify(statementDescriptor)}`;
  record += `,"authed_at":"${authedAt}"`;
  if (clearedAt !== null) record += `,"cleared_at":"${clearedAt}"`;
  if (revertedAt !== null) record += `,"reverted_at":"${revertedAt}"`;
  return record + NO_LINKS;
}
