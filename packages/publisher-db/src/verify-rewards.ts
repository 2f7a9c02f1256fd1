import type { Store, Transaction } from "#postgres";
import { countEvents, findEventFaults } from "./find-event-faults.ts";
import { findFaults, findLagging } from "./find-reward-faults.ts";
import type { RewardFault, RewardFaultKind, Walked } from "./reward-checks.ts";

interface VerifiedRewards {
  /** How many rows of each table were checked. */
  readonly checked: Readonly<Record<Walked, number>>;
  /** Live stamps and pending cashbacks of settled transactions: their settlements are still on their way. */
  readonly lagging: number;
  /** In the order of the walk, at most `FAULTS_KEPT` of each kind. */
  readonly faults: readonly RewardFault[];
}

/** If there are more of a kind, they all have one cause; the bound protects the process's memory. */
export const FAULTS_KEPT = 1000;

const ROWS_PER_STEP = 1000;

/** Tables walked by id. Stamps are walked with their collections, because their index leads from there. */
const STEPS = ["stamp_collections", "redemptions", "cashbacks", "clips"] as const;
export type Step = (typeof STEPS)[number];

/**
 * Looks for contradictions in everything that the reward engine has stored (contract, section 9). It only
 * reads, in one snapshot, so it may run beside the engine: it sees all of a batch's writes or none. The
 * snapshot is held until the end, and meanwhile vacuum cannot remove newer rows.
 */
export function verifyRewards(store: Store): Promise<VerifiedRewards> {
  return store.begin("isolation level repeatable read read only", async (sql) => {
    const kept = new KeptFaults();
    const checked: Record<Walked, number> = {
      stamp_collections: 0,
      qualifying_purchases: 0,
      redemptions: 0,
      cashbacks: 0,
      clips: 0,
      events: await countEvents(sql),
    };
    let lagging = 0;
    for (const step of STEPS) {
      for await (const ids of walk(sql, step)) {
        checked[step] += ids.length;
        kept.add(await findFaults(sql, step, ids));
        if (step === "stamp_collections") checked.qualifying_purchases += await countStamps(sql, ids);
        lagging += await findLagging(sql, step, ids);
      }
    }
    kept.add(await findEventFaults(sql, FAULTS_KEPT));
    return { checked, lagging, faults: kept.faults };
  });
}

/** All ids of a table, `ROWS_PER_STEP` at a time. */
async function* walk(sql: Transaction, table: Step): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await sql<{ id: string }[]>`
      select id from ${sql(table)}
      where ${after === undefined ? sql`true` : sql`id > ${after}`} order by id limit ${ROWS_PER_STEP}`;
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < ROWS_PER_STEP) return;
    after = rows.at(-1)?.id;
  }
}

async function countStamps(sql: Transaction, collectionIds: readonly string[]): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*) from qualifying_purchases where stamp_collection_id = any(${collectionIds}::uuid[])`;
  return count;
}

class KeptFaults {
  readonly faults: RewardFault[] = [];
  readonly #counts = new Map<RewardFaultKind, number>();

  add(found: readonly RewardFault[]): void {
    for (const fault of found) {
      const count = (this.#counts.get(fault.kind) ?? 0) + 1;
      this.#counts.set(fault.kind, count);
      if (count <= FAULTS_KEPT) this.faults.push(fault);
    }
  }
}
