import type { Fragment, Sql, Store, Transaction } from "#postgres";
import {
  comparedSince,
  countEvents,
  type Fact,
  FactCounts,
  findUnequal,
  readEvents,
  storedFacts,
} from "./find-event-faults.ts";
import { findFaults, findLagging } from "./find-reward-faults.ts";
import type { RewardFault, RewardFaultKind, Walked } from "./reward-checks.ts";

interface VerifiedRewards {
  /** The number of checked rows of each table. */
  readonly checked: Readonly<Record<Walked, number>>;
  /** Live stamps and pending cashbacks of settled transactions: their settlements are still on their way. */
  readonly lagging: number;
  /** In the order of the walk, at most `FAULTS_KEPT` of each kind. */
  readonly faults: readonly RewardFault[];
}

/** Faults that are kept of each kind: more of a kind have one cause. The bound protects the process's memory. */
const FAULTS_KEPT = 1000;

const ROWS_PER_STEP = 1000;

/** Tables walked by id. Stamps are walked with their collections, because their index leads from there. */
const STEPS = ["stamp_collections", "redemptions", "cashbacks", "clips"] as const;
type Step = (typeof STEPS)[number];

/** Each step sees its rows at one moment: all of a batch's writes or none. */
const PIECE = "isolation level repeatable read read only";

/**
 * Looks for contradictions in all stored rewards (contract, section 9). It only reads, so it may run while
 * rewards works, and holds no snapshot for longer than a step, so that vacuum continues.
 */
export async function verifyRewards(store: Store): Promise<VerifiedRewards> {
  const kept = new KeptFaults();
  const counts = new FactCounts();
  const checked: Record<Walked, number> = {
    stamp_collections: 0,
    qualifying_purchases: 0,
    redemptions: 0,
    cashbacks: 0,
    clips: 0,
    events: 0,
  };
  let lagging = 0;
  const since = await comparedSince(store);
  for (const step of STEPS) {
    await walk(store, step, async (sql, ids) => {
      checked[step] += ids.length;
      kept.add(await findFaults(sql, step, ids));
      if (step === "stamp_collections") checked.qualifying_purchases += await countStamps(sql, ids);
      lagging += await findLagging(sql, step, ids);
      if (tellsOf(step)) counts.add(await bucketsOf(sql, storedFacts(sql, step, ids, since)), -1);
    });
  }
  for (let after: string | null = "0"; after !== null; ) {
    const { upto, events, buckets } = await countEvents(store, after, since);
    checked.events += events;
    counts.add(buckets, 1);
    after = upto;
  }
  if (!counts.agrees) await lookAgain(store, counts, since, kept);
  return { checked, lagging, faults: kept.faults };
}

/** Compares facts whose counts differ, each separately. */
async function lookAgain(store: Store, counts: FactCounts, since: string, kept: KeptFaults): Promise<void> {
  const compare = async (sql: Sql, facts: readonly Fact[]) =>
    kept.add(
      await findUnequal(
        sql,
        facts.filter((fact) => counts.isDoubtful(fact)),
      ),
    );
  for (const step of STEPS.filter(tellsOf)) {
    await walk(store, step, async (sql, ids) =>
      compare(sql, await sql<Fact[]>`${storedFacts(sql, step, ids, since)}`),
    );
  }
  for (let after: string | null = "0"; after !== null; ) {
    const { upto, facts } = await readEvents(store, after, since);
    await compare(store, facts);
    after = upto;
  }
}

/** Whether the rows of this step have events. */
function tellsOf(step: Step): step is "stamp_collections" | "cashbacks" {
  return step === "stamp_collections" || step === "cashbacks";
}

async function bucketsOf(sql: Sql, facts: Fragment): Promise<readonly number[]> {
  const rows = await sql<{ bucket: number }[]>`select bucket from (${facts}) as fact`;
  return rows.map(({ bucket }) => bucket);
}

/** All ids of a table, `ROWS_PER_STEP` at a time, each time in a separate database transaction. */
async function walk(
  store: Store,
  table: Step,
  look: (sql: Transaction, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const ids = await store.begin(PIECE, async (sql) => {
      const rows = await sql<{ id: string }[]>`
        select id from ${sql(table)}
        where ${after === undefined ? sql`true` : sql`id > ${after}`} order by id limit ${ROWS_PER_STEP}`;
      const found = rows.map(({ id }) => id);
      if (found.length > 0) await look(sql, found);
      return found;
    });
    if (ids.length < ROWS_PER_STEP) return;
    after = ids.at(-1);
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
  readonly #told = new Set<string>();

  /** A fact is found from both sides, and kept once. */
  add(found: readonly RewardFault[]): void {
    for (const fault of found) {
      const text = `${fault.kind} ${fault.id} ${fault.detail}`;
      if (this.#told.has(text)) continue;
      const count = (this.#counts.get(fault.kind) ?? 0) + 1;
      this.#counts.set(fault.kind, count);
      if (count > FAULTS_KEPT) continue;
      this.#told.add(text);
      this.faults.push(fault);
    }
  }
}
