import { linkRecord, packRecordMessage, writeRecord } from "#contract/codec";
import type { PlatformRecord } from "#contract/platform";
import { decodeId, type IdPrefix, toUtcMicroseconds } from "#domain";

/** A message of valid records, as ingest writes it. */
export function recordMessage(...records: readonly PlatformRecord[]): Uint8Array {
  return packRecordMessage(records.map(recordBytes));
}

function recordBytes(record: PlatformRecord): Uint8Array {
  const { transaction_id, identifiers, merchant_id, statement_descriptor, clips, enrolments } = record;
  const [identifier6, identifier8 = null] = identifiers as [string, string?];
  const instant = (said: string | undefined) => (said === undefined ? null : toUtcMicroseconds(said));
  const bytes = writeRecord({
    id: uuidOf("tx", transaction_id),
    identifier6,
    identifier8,
    merchantId: merchant_id,
    statementDescriptor: statement_descriptor ?? null,
    authedAt: toUtcMicroseconds(record.authed_at),
    clearedAt: instant(record.cleared_at),
    revertedAt: instant(record.reverted_at),
  });
  return linkRecord(bytes, {
    clips: clips.map((link) => ({ id: uuidOf("clip", link.clip_id), dealId: uuidOf("deal", link.deal_id) })),
    enrolments: enrolments.map((link) => ({
      id: uuidOf("sc", link.stamp_collection_id),
      loyaltyProgramId: uuidOf("lp", link.loyalty_program_id),
    })),
  });
}

function uuidOf(prefix: IdPrefix, id: string): string {
  const uuid = decodeId(prefix, id);
  if (uuid === undefined) throw new Error(`no id: ${id}`);
  return uuid;
}
