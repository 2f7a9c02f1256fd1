import type { Store } from "#store";
import { deleteRecordKeys } from "./open-keys.ts";

/**
 * Marks stored records as reverted; those that are not stored stay unknown. For reversals that come with a descriptor
 * that routes nowhere: nothing of them is kept, but what was routed before must not find a payment any more.
 * A reversal that comes before the record which it reverts is lost by that; the reward engine ignores what follows.
 * @returns how many were there and not reverted
 */
export async function revertRecords(store: Store, transactionIds: readonly string[]): Promise<number> {
  if (transactionIds.length === 0) return 0;
  return store.begin(async (sql) => {
    const rows = await sql<{ id: string; isOpen: boolean }[]>`
      select transaction_id as id, is_open as "isOpen"
      from platform.records
      where transaction_id = any(${transactionIds}::uuid[]) and state <> 'reverted'
      order by transaction_id
      for update`;
    if (rows.length === 0) return 0;
    const open = rows.filter(({ isOpen }) => isOpen).map(({ id }) => id);
    if (open.length > 0) await deleteRecordKeys(sql, open);
    const ids = rows.map(({ id }) => id);
    await sql`
      update platform.records set state = 'reverted', is_open = false where transaction_id = any(${ids}::uuid[])`;
    return rows.length;
  });
}
