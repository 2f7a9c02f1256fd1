import { createTag, type Fragment, type Sql, type Store, type Transaction } from "#postgres";

/** Runs every statement and keeps its plan. */
export function explaining(sql: Sql, plans: string[]): Sql {
  return keeping(sql, plans, (statement) => sql<{ "QUERY PLAN": string }[]>`explain ${statement}`);
}

/** The same with the rows that each step really gave; each statement runs twice, so only for those that change nothing. */
export function analysing(sql: Sql, plans: string[]): Sql {
  return keeping(
    sql,
    plans,
    (statement) => sql<{ "QUERY PLAN": string }[]>`explain (analyze, timing off) ${statement}`,
  );
}

type Explain = (statement: Fragment) => PromiseLike<{ "QUERY PLAN": string }[]>;

function keeping(sql: Sql, plans: string[], explain: Explain): Sql {
  const tag = createTag(async (statement) => {
    const lines = await explain(statement);
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
