import type { Fragment, Sql } from "#postgres";

/**
 * A filter of a list over the columns `K`: a condition, or several that must hold together ("and") or of which one
 * must ("or"). An "and" of nothing holds for every record, an "or" of nothing for none.
 */
export type StoreFilter<K extends string = string> =
  | { readonly column: K; readonly operator: "in" | "nin"; readonly values: readonly string[] }
  | { readonly combine: "and" | "or"; readonly filters: readonly StoreFilter<K>[] };

/** How a column is compared: its name, and the type of its values. */
export type FilterColumns<K extends string> = Readonly<
  Record<K, { readonly name: string; readonly type: "uuid" | "text" }>
>;

/** As a condition. Statements with it are to be sent `unprepared`: each filter makes a text of its own. */
export function filterCondition<K extends string>(
  sql: Sql,
  columns: FilterColumns<K>,
  filter: StoreFilter<K>,
): Fragment {
  if ("combine" in filter) {
    const { combine, filters } = filter;
    const [first, ...others] = filters.map((inner) => filterCondition(sql, columns, inner));
    if (first === undefined) return combine === "and" ? sql`true` : sql`false`;
    const joined = others.reduce(
      (left, right) => (combine === "and" ? sql`${left} and ${right}` : sql`${left} or ${right}`),
      first,
    );
    return sql`(${joined})`;
  }
  const { name, type } = columns[filter.column];
  const values = type === "uuid" ? sql`${filter.values}::uuid[]` : sql`${filter.values}::text[]`;
  return filter.operator === "in" ? sql`${sql(name)} = any(${values})` : sql`${sql(name)} <> all(${values})`;
}

/**
 * Whether a filter can match only what it names, so that an index finds it and it is not more than the request is
 * long. Of a filter that is not, `negateFilter` is.
 */
export function isBounded(filter: StoreFilter): boolean {
  if (!("combine" in filter)) return filter.operator === "in";
  const { combine, filters } = filter;
  return combine === "and" ? filters.some(isBounded) : filters.every(isBounded);
}

/** Matches what `filter` does not. */
export function negateFilter<K extends string>(filter: StoreFilter<K>): StoreFilter<K> {
  if (!("combine" in filter)) {
    return { ...filter, operator: filter.operator === "in" ? "nin" : "in" };
  }
  return { combine: filter.combine === "and" ? "or" : "and", filters: filter.filters.map(negateFilter) };
}
