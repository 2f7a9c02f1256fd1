import t from "tap";
import type { Store } from "#postgres";
import { explaining, testMemberbase, testStore } from "#test-support";
import { listMembers, type MemberFilter } from "./member-rows.ts";

/** Far more than a page, and enough for an index to be cheaper than the table. */
const MEMBERS = 20_000;

let store: Store;
let base: { organisationId: string; memberbaseId: string };
let ids: string[];

t.before(async () => {
  store = await testStore();
  base = await testMemberbase(store);
  for (const { organisationId, memberbaseId } of [base, await testMemberbase(store)]) {
    await store`
      insert into members (id, organisation_id, memberbase_id, ref)
      select gen_random_uuid(), ${organisationId}, ${memberbaseId}, 'member ' || n
      from generate_series(1, ${MEMBERS}::int) as n`;
  }
  await store.script("vacuum analyze members");
  const rows = await store<{ id: string }[]>`
    select id from members where memberbase_id = ${base.memberbaseId} order by id limit 1000`;
  ids = rows.map(({ id }) => id);
});

async function plansOf(filter: MemberFilter | undefined, after?: string): Promise<string[]> {
  const plans: string[] = [];
  const page = await listMembers(explaining(store, plans), { ...base, filter }, { limit: 1000, after });
  t.ok(page !== undefined && page.records.length > 0, "it lists something");
  return plans.filter((plan) => plan.includes("on members"));
}

const refs = (count: number) => Array.from({ length: count }, (_, at) => `member ${at * 7 + 1}`);
const leaf = (column: "id" | "ref", operator: "in" | "nin", values: string[]): MemberFilter => ({
  column,
  operator,
  values,
});
const or = (...filters: MemberFilter[]): MemberFilter => ({ combine: "or", filters });
const and = (...filters: MemberFilter[]): MemberFilter => ({ combine: "and", filters });

t.test("plan - ref and id filters find their members by index, for the page and for the total", async (t) => {
  const filters: Record<string, MemberFilter> = {
    "ref eq": and(leaf("ref", "in", refs(1))),
    "id eq": and(leaf("id", "in", ids.slice(0, 1))),
    "ref in": and(leaf("ref", "in", refs(1000))),
    "id in": and(leaf("id", "in", ids)),
    "ref or ref": and(or(leaf("ref", "in", refs(1)), leaf("ref", "in", refs(50)))),
    "ref or id": and(or(leaf("ref", "in", refs(5)), leaf("id", "in", ids.slice(0, 5)))),
    "ref in, but not id": and(leaf("ref", "in", refs(100)), leaf("id", "nin", ids.slice(0, 3))),
    nested: or(
      and(leaf("ref", "in", refs(20)), leaf("id", "nin", ids.slice(0, 3))),
      leaf("id", "in", ids.slice(0, 9)),
    ),
  };
  for (const [name, filter] of Object.entries(filters)) {
    const plans = await plansOf(filter);
    t.equal(plans.length, 2, `${name}: a page and a total`);
    for (const plan of plans) {
      t.notMatch(plan, /Seq Scan on members/, name);
      t.match(plan, /Index Cond: .*\b(ref|id) = (ANY )?\(?'/, name);
      t.notMatch(
        plan,
        /Index Cond: \(memberbase_id = '[^']*'::uuid\)$/m,
        `${name}: no walk through the memberbase`,
      );
    }
  }
});

t.test("plan - a page begins where the one before it ended", async (t) => {
  const [plan, ...others] = await plansOf(undefined, ids[500]);
  t.strictSame(others, [], "the total is not counted");
  t.match(plan, /Index Scan using members_memberbase_id_idx on members/);
  t.match(plan, /Index Cond: .*id > '/);
  t.notMatch(plan, /Sort|Seq Scan/);
});

t.test("plan - an index finds the members that a filter excludes, and the rest is not counted", async (t) => {
  const plans = await plansOf(leaf("ref", "nin", refs(100)), ids[500]);
  t.equal(plans.length, 2);
  for (const plan of plans) t.notMatch(plan, /Seq Scan on members/);
  t.ok(
    plans.some((plan) => /Index Cond: .*ref = ANY/.test(plan)),
    "the total",
  );
  t.ok(
    plans.some((plan) => /Index Cond: .*id > '/.test(plan)),
    "the page",
  );
});

t.test("plan - the members that a page leaves out are counted in the index alone", async (t) => {
  for (const after of [undefined, ids[10]]) {
    const plans: string[] = [];
    const page = await listMembers(explaining(store, plans, "counted"), base, {
      limit: 100,
      after,
      skip: 15_000,
    });
    t.equal(page?.records.length, 100);
    const [plan] = plans.filter((one) => one.includes("on members"));
    t.match(plan, /Index Only Scan using members_memberbase_id_idx on members [^\n]*actual rows=15001\b/);
    t.match(plan, /Index Scan using members_memberbase_id_idx on members [^\n]*actual rows=101\b/);
  }
});
