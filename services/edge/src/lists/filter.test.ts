import t from "tap";
import { isBounded, negateFilter, type StoreFilter } from "./list-filters.ts";

const named: StoreFilter = { column: "ref", operator: "in", values: ["a"] };
const excluded: StoreFilter = { column: "ref", operator: "nin", values: ["a"] };
const and = (...filters: StoreFilter[]): StoreFilter => ({ combine: "and", filters });
const or = (...filters: StoreFilter[]): StoreFilter => ({ combine: "or", filters });

t.test("filter - it is bounded if it can match only records that it names", async (t) => {
  for (const filter of [named, and(named, excluded), or(named, and(excluded, named)), or()]) {
    t.equal(isBounded(filter), true, JSON.stringify(filter));
    t.equal(isBounded(negateFilter(filter)), false, JSON.stringify(filter));
  }
  for (const filter of [excluded, or(named, excluded), and(excluded, or(excluded, named)), and()]) {
    t.equal(isBounded(filter), false, JSON.stringify(filter));
    t.equal(isBounded(negateFilter(filter)), true, JSON.stringify(filter));
  }
});

t.test("filter - negated twice it is itself", async (t) => {
  const filter = or(and(named, excluded), excluded);
  t.strictSame(negateFilter(filter), and(or(excluded, named), named));
  t.strictSame(negateFilter(negateFilter(filter)), filter);
});
