import t from "tap";
import type { Filter } from "#contract";
import { filterScope, readFilters } from "./list-filters.ts";

type Key = "id" | "ref";

const KEYS = {
  id: { column: "id", read: (id: string) => (id.startsWith("m_") ? id.slice(2) : undefined) },
  ref: { column: "ref", read: (ref: string) => ref },
} as const;

const read = (filters?: readonly Filter<Key>[]) => readFilters(filters, KEYS);

t.test("filters - an empty list is no filter", async (t) => {
  t.equal(read(), undefined);
  t.equal(read([]), undefined);
});

t.test("filters - the list is an and, eq is an in of one, and combinators stay nested", async (t) => {
  const filters: Filter<Key>[] = [
    { key: "ref", eq: "a" },
    { or: [{ key: "ref", nin: ["b", "c"] }, { and: [{ key: "id", in: ["m_1"] }] }] },
  ];
  t.strictSame(read(filters), {
    combine: "and",
    filters: [
      { column: "ref", operator: "in", values: ["a"] },
      {
        combine: "or",
        filters: [
          { column: "ref", operator: "nin", values: ["b", "c"] },
          { combine: "and", filters: [{ column: "id", operator: "in", values: ["1"] }] },
        ],
      },
    ],
  });
});

t.test("filters - an id of another form matches no member", async (t) => {
  const values = (filter: Filter<Key>) => read([filter]);
  t.match(values({ key: "id", eq: "x" }), { filters: [{ operator: "in", values: [] }] });
  t.match(values({ key: "id", nin: ["x", "m_1"] }), { filters: [{ operator: "nin", values: ["1"] }] });
});

t.test("filters - 100 leaves in all are taken, 101 are not, however they are spread", async (t) => {
  const leaves = (count: number): Filter<Key>[] =>
    Array.from({ length: count }, (_, at) => ({ key: "ref", eq: String(at) }));
  const spread = (last: number): Filter<Key>[] => [
    { or: leaves(40) },
    { and: [{ or: leaves(50) }] },
    ...leaves(last),
  ];
  t.ok(read(leaves(100)));
  t.ok(read(spread(10)));
  t.throws(() => read(spread(11)), {
    code: "bad_request",
    data: { issues: [{ path: "/filters", message: "must have at most 100 conditions in all" }] },
  });
});

t.test(
  "filters - the scope of a cursor differs for other filters, and not for another spelling",
  async (t) => {
    const scope = (...filters: Filter<Key>[]) => filterScope(read(filters));
    const a: Filter<Key> = { key: "ref", eq: "a" };
    const b: Filter<Key> = { key: "ref", eq: "b" };
    const scopes = [
      scope(),
      scope(a),
      scope(b),
      scope(a, b),
      scope({ or: [a, b] }),
      scope({ key: "ref", nin: ["a"] }),
    ];
    t.equal(new Set(scopes).size, scopes.length);
    t.equal(scope({ eq: "a", key: "ref" }), scope(a));
  },
);
