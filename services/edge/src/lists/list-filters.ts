import { createHash } from "node:crypto";
import { type Filter, LIMITS } from "#contract";
import { badRequest } from "#http";
import type { Fragment, Sql } from "#postgres";

/**
 * A filter of a list over the columns `K`: a condition, or several of which all ("and") or one ("or") must hold. An "and" of
 * nothing holds for every record, an "or" of nothing for none.
 */
export type StoreFilter<K extends string = string> =
  | { readonly column: K; readonly operator: "in" | "nin"; readonly values: readonly string[] }
  | { readonly combine: "and" | "or"; readonly filters: readonly StoreFilter<K>[] };

/** How to compare a column: its name, and the type of its values. */
export type FilterColumns<K extends string> = Readonly<
  Record<K, { readonly name: string; readonly type: "uuid" | "text" }>
>;

/** The filter as SQL. Send its statement `unprepared`, because each filter changes the statement's text. */
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
 * Whether a filter can match only records that it names. Then an index finds them, and there are at most as
 * many as values in the request. If a filter is not bounded, its `negateFilter` is.
 */
export function isBounded(filter: StoreFilter): boolean {
  if (!("combine" in filter)) return filter.operator === "in";
  const { combine, filters } = filter;
  return combine === "and" ? filters.some(isBounded) : filters.every(isBounded);
}

/** Matches exactly the records that `filter` does not. */
export function negateFilter<K extends string>(filter: StoreFilter<K>): StoreFilter<K> {
  if (!("combine" in filter)) {
    return { ...filter, operator: filter.operator === "in" ? "nin" : "in" };
  }
  return { combine: filter.combine === "and" ? "or" : "and", filters: filter.filters.map(negateFilter) };
}

/** How to compare a key's values: the column, and the value for that column; undefined matches no record. */
interface FilterKey<C extends string> {
  readonly column: C;
  readonly read: (value: string) => string | undefined;
}

/**
 * The filters of a list request as one filter of columns; undefined without any. The schema bounds their
 * nesting.
 * @throws ApiError bad_request for more leaves than a request may have
 */
export function readFilters<K extends string, C extends string>(
  filters: readonly Filter<K>[] | undefined,
  keys: Readonly<Record<K, FilterKey<C>>>,
): StoreFilter<C> | undefined {
  if (filters === undefined || filters.length === 0) return undefined;
  let leaves = 0;
  const read = (filter: Filter<K>): StoreFilter<C> => {
    if ("or" in filter) return { combine: "or", filters: filter.or.map(read) };
    if ("and" in filter) return { combine: "and", filters: filter.and.map(read) };
    leaves++;
    if (leaves > LIMITS.filterLeaves) throw tooManyLeaves();
    const { column, read: readValue } = keys[filter.key];
    const given = "eq" in filter ? [filter.eq] : "in" in filter ? filter.in : filter.nin;
    const values = given.map(readValue).filter((value) => value !== undefined);
    return { column, operator: "nin" in filter ? "nin" : "in", values };
  };
  return { combine: "and", filters: filters.map(read) };
}

/** Binds the cursor of a filtered list to the filter: a digest of the filter that was read. */
export function filterScope(filter: StoreFilter | undefined): string {
  return filter === undefined ? "" : createHash("sha256").update(JSON.stringify(filter)).digest("hex");
}

function tooManyLeaves() {
  const message = `must have at most ${LIMITS.filterLeaves} conditions in all`;
  return badRequest(`/filters ${message}`, { path: "/filters", message });
}
