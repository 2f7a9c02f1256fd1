import { encodeId, type TransactionEvent } from "#domain";
import type { MemberLinks } from "#store";

/** The part of a transaction that leaves for the platform. */
type Published = Pick<
  TransactionEvent,
  | "identifier6"
  | "identifier8"
  | "merchantId"
  | "statementDescriptor"
  | "authedAt"
  | "clearedAt"
  | "revertedAt"
>;

const NO_LINKS = ',"clips":[],"enrolments":[]}';

/**
 * The JSON of a `PlatformRecord` whose member has no links; those are known only after the commit. It is written by
 * hand, field by field, so that nothing gets in that is not named here; ids, hashes and timestamps need no escaping.
 * @param id UUID of the transaction
 */
export function writeRecord(id: string, transaction: Published): string {
  const { identifier6, identifier8, merchantId, statementDescriptor, authedAt, clearedAt, revertedAt } =
    transaction;
  // Identifiers stand in rows as Postgres shows bytes: `\x` and hex.
  const second = identifier8 === null ? "" : `,"${identifier8.slice(2)}"`;
  let record = `{"transaction_id":"${encodeId("tx", id)}","identifiers":["${identifier6.slice(2)}"${second}]`;
  record += `,"merchant_id":${JSON.stringify(merchantId)}`;
  if (statementDescriptor !== null)
    record += `,"statement_descriptor":${JSON.stringify(statementDescriptor)}`;
  record += `,"authed_at":"${authedAt}"`;
  if (clearedAt !== null) record += `,"cleared_at":"${clearedAt}"`;
  if (revertedAt !== null) record += `,"reverted_at":"${revertedAt}"`;
  return record + NO_LINKS;
}

/** The same record with the links of its member. */
export function addLinks(record: string, links: MemberLinks): string {
  const clips = links.clips.map(({ id, dealId }) => ({
    clip_id: encodeId("clip", id),
    deal_id: encodeId("deal", dealId),
  }));
  const enrolments = links.enrolments.map(({ id, loyaltyProgramId }) => ({
    stamp_collection_id: encodeId("sc", id),
    loyalty_program_id: encodeId("lp", loyaltyProgramId),
  }));
  return `${record.slice(0, -NO_LINKS.length)},"clips":${JSON.stringify(clips)},"enrolments":${JSON.stringify(enrolments)}}`;
}
