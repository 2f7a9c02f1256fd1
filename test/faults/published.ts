import type { SettlementMessage } from "#contract/ingest";
import { encodeId } from "#domain";
import { type Pipeline, readStream } from "#test-support";

/** The part of a platform record that has a transaction's state. */
interface PlatformRecord {
  readonly transaction_id: string;
  readonly cleared_at?: string;
  readonly reverted_at?: string;
}

/**
 * A killed process must not lose the publications that follow from its commit: every stored transaction must
 * have a record for the platform and, if it was stored before it was cleared or reverted and its member has
 * links, a settlement. Returns the missing ones.
 */
export async function findUnpublished(pipeline: Pipeline): Promise<string[]> {
  const records = await readStream<{ records: PlatformRecord[] }>(pipeline, "PLATFORM_TX");
  const recorded = new Set(
    records.flatMap((message) => message.records.map((one) => `${one.transaction_id} ${stateOf(one)}`)),
  );
  const settlements = await readStream<SettlementMessage>(pipeline, "SETTLEMENT");
  const settled = new Set(
    settlements.flatMap((message) => message.settlements.map((one) => `${one.transaction} ${one.state}`)),
  );
  const rows = await pipeline.store<{ id: string; state: string; must_settle: boolean }[]>`
    select t.id, t.state, t.state <> 'authorized' and t.updated_at > t.created_at and m.linked as must_settle
    from transactions t join members m on m.id = t.member_id`;
  const missing: string[] = [];
  for (const { id, state, must_settle } of rows) {
    if (!recorded.has(`${encodeId("tx", id)} ${state}`)) missing.push(`no record of ${id}, ${state}`);
    if (must_settle && !settled.has(`${id} ${state}`)) missing.push(`no settlement of ${id}, ${state}`);
  }
  return missing;
}

function stateOf({ cleared_at, reverted_at }: PlatformRecord): string {
  if (reverted_at !== undefined) return "reverted";
  return cleared_at === undefined ? "authorized" : "cleared";
}
