import { createTag, type Sql, type Store, type Transaction } from "#postgres";

/** Runs every statement and keeps its plan. */
export function explaining(sql: Sql, plans: string[]): Sql {
  const tag = createTag(async (statement) => {
    const lines = await sql<{ "QUERY PLAN": string }[]>`explain ${statement}`;
    plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
    return sql`${statement}` as never;
  });
  return Object.assign(tag, { script: sql.script, copyIn: sql.copyIn });
}

/** The same for a store, in database transactions too. */
export function explainingStore(store: Store, plans: string[]): Store {
  const begin = <T>(work: (sql: Transaction) => Promise<T>) =>
    store.begin((sql) => work(Object.assign(explaining(sql, plans), { savepoint: sql.savepoint })));
  return Object.assign(explaining(store, plans), { begin, close: () => store.close() }) as Store;
}
