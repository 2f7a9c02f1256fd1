import type { Store } from "#postgres";

/**
 * Takes the oldest queued outcomes, gives them to `publish`, and deletes them once that has succeeded. Several processes
 * may do it at once: each takes others. A crash between the publication and the commit leaves them in the queue, and
 * they are published again; whoever gets them knows them by their ids.
 * @param publish gets texts of JSON, oldest first, each with the `traceparent` of what decided it, and is not called for none
 * @returns how many there were
 */
export async function takeOutcomes(
  store: Store,
  limit: number,
  publish: (outcomes: readonly string[], traceparents: readonly (string | null)[]) => Promise<void>,
): Promise<number> {
  return store.begin(async (sql) => {
    const rows = await sql<{ position: number; outcome: string; traceparent: string | null }[]>`
      select position, outcome, traceparent from platform.outcome_queue
      order by position
      limit ${limit}
      for update skip locked`;
    if (rows.length === 0) return 0;
    await publish(
      rows.map(({ outcome }) => outcome),
      rows.map(({ traceparent }) => traceparent),
    );
    const positions = rows.map(({ position }) => position);
    await sql`delete from platform.outcome_queue where position = any(${positions}::bigint[])`;
    return rows.length;
  });
}
