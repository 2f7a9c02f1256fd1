import { createTag, type Sql, type Store, type Transaction } from "#postgres";

/**
 * Runs every statement and keeps its plan.
 * @param how `counted`: with the real number of rows of each part of the plan, for which the statement runs
 *   once more
 */
export function explaining(sql: Sql, plans: string[], how: "planned" | "counted" = "planned"): Sql {
  const tag = createTag(async (statement) => {
    const explained =
      how === "planned" ? sql`explain ${statement}` : sql`explain (analyze, timing off) ${statement}`;
    const lines = (await explained) as { "QUERY PLAN": string }[];
    plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
    return sql`${statement}` as never;
  });
  return Object.assign(tag, { script: sql.script, copyIn: sql.copyIn });
}

/** The same for a store, in database transactions too. */
export function explainingStore(store: Store, plans: string[]): Store {
  const begin = <T>(...args: [work: Work<T>] | [mode: string, work: Work<T>]) => {
    const work = args.at(-1) as Work<T>;
    const explained = (sql: Transaction) =>
      work(Object.assign(explaining(sql, plans), { savepoint: sql.savepoint }));
    return args.length === 1 ? store.begin(explained) : store.begin(args[0], explained);
  };
  return Object.assign(explaining(store, plans), { begin, close: () => store.close() }) as Store;
}

type Work<T> = (sql: Transaction) => Promise<T>;
