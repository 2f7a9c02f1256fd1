import { createHash } from "node:crypto";
import { type Filter, LIMITS } from "#contract";
import { badRequest } from "#http";
import type { StoreFilter } from "./filter.ts";

/** How the values of one key are compared: the column, and what a value is there; undefined matches no record. */
interface FilterKey<C extends string> {
  readonly column: C;
  readonly read: (value: string) => string | undefined;
}

/**
 * The filters of a list request as the store takes them; undefined without any. Their nesting is bounded by the schema.
 * @throws ApiError bad_request when there are more leaves than a request may have
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

/** What a cursor of the filtered list is bound to beside the list itself: the same filters, however they are spelled. */
export function filterScope(filter: StoreFilter | undefined): string {
  return filter === undefined ? "" : createHash("sha256").update(JSON.stringify(filter)).digest("hex");
}

function tooManyLeaves() {
  const message = `must have at most ${LIMITS.filterLeaves} conditions in all`;
  return badRequest(`/filters ${message}`, { path: "/filters", message });
}
