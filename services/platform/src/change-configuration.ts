import type { Sql, Store } from "#postgres";

/**
 * Runs one change of a retailer, program or deal, and moves the version of the whole on in the same transaction. Nothing
 * moves if `change` gives undefined: it found nothing to change.
 *
 * The row of the version is locked last and until the commit. So whoever sees a version sees every change up to it, and
 * two changes, which have one record each, cannot wait for each other.
 * @param store or a transaction, which is to end soon after
 */
export async function changeConfiguration<T>(
  store: Store | Sql,
  change: (sql: Sql) => Promise<T | undefined>,
): Promise<T | undefined> {
  const run = async (sql: Sql) => {
    const changed = await change(sql);
    if (changed !== undefined) await sql`update platform.configuration set version = version + 1`;
    return changed;
  };
  return "begin" in store ? store.begin(run) : run(store);
}
