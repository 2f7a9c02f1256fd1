import t from "tap";
import type { Sql, Store } from "#postgres";
import { explaining, type TestMember, testMember, testStore } from "#test-support";
import { rowsLookedAt } from "../lists/bounded-scan.ts";
import { exportTransactions, listTransactions } from "./transaction-lists.ts";

/** Far more than a page may look at. */
const TRANSACTIONS = 40_000;

let store: Store;
let member: TestMember;

t.before(async () => {
  store = await testStore();
  member = await testMember(store);
  for (const { organisationId, memberId } of [member, await testMember(store)]) {
    await store`
      insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                                identifier_6)
      select '2026-03-01T10:00:00Z', ${organisationId}, gen_random_uuid(), ${memberId}, 'tx ' || to_char(n, 'FM000000'),
             'authorized', 'visa', 'm', sha256(n::text::bytea)
      from generate_series(1, ${TRANSACTIONS}::int) as n`;
  }
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select gen_random_uuid(), ${member.organisationId}, ${member.memberbaseId}, 'member ' || n
    from generate_series(1, 20_000) as n`;
  await store.script("vacuum analyze transactions");
  await store.script("vacuum analyze members");
});

const NEVER = { since: "2026-05-01T00:00:00.000000Z", until: undefined };
const page = { limit: 100 };

type List = (sql: Sql) => Promise<unknown>;

/** The plan of the list's only statement on transactions. */
async function planOf(list: List, how: "planned" | "counted" = "planned"): Promise<string> {
  const plans: string[] = [];
  await list(explaining(store, plans, how));
  const [plan, ...others] = plans.filter((one) => one.includes("on transactions"));
  if (plan === undefined || others.length > 0) throw new Error(`not one statement: ${plans.join("\n\n")}`);
  return plan;
}

/** The number of rows from the index, as the server counted them. */
async function readBy(list: List): Promise<number> {
  const rows = /Index (?:Only )?Scan [^\n]* on transactions [^\n]*actual rows=(\d+)/.exec(
    await planOf(list, "counted"),
  );
  return Number(rows?.[1]);
}

t.test("plan - a list of transactions is read from an index, in its order", async (t) => {
  const lists: Record<string, [index: string, list: List]> = {
    "by member": ["transactions_member_idx", (sql) => listTransactions(sql, member, page)],
    "by member and time": [
      "transactions_member_idx",
      (sql) => listTransactions(sql, { ...member, authed: NEVER }, page),
    ],
    "by member and state, further on": [
      "transactions_member_idx",
      (sql) =>
        listTransactions(
          sql,
          { ...member, state: "cleared" },
          { ...page, after: "0 0195a3c4-7e1b-7c3a-9b1e-3f1f0c5a9d10" },
        ),
    ],
    export: ["transactions_pkey", (sql) => exportTransactions(sql, member, page)],
    "export of a span, further on": [
      "transactions_pkey",
      (sql) => exportTransactions(sql, { ...member, authed: NEVER }, { ...page, after: "0 tx 020000" }),
    ],
  };
  for (const [name, [index, list]] of Object.entries(lists)) {
    const plan = await planOf(list);
    t.match(plan, new RegExp(`Index (Only )?Scan (Backward )?using ${index} on transactions `), name);
    // Only the earnings of a single transaction are sorted.
    t.notMatch(
      plan,
      /Sort Key: (?!c\.created_at, c\.id)|Seq Scan on (transactions|members)\b|(Hash|Merge).* Join/,
      name,
    );
  }
});

t.test("plan - a page reads neither more than it may look at nor anything after its end", async (t) => {
  t.equal(
    await readBy((sql) => exportTransactions(sql, { ...member, authed: NEVER }, page)),
    rowsLookedAt(page),
  );
  t.equal(
    await readBy((sql) => listTransactions(sql, { ...member, state: "cleared" }, page)),
    rowsLookedAt(page),
  );
  // The page, one row more, and perhaps one for the window function's look-ahead.
  t.ok((await readBy((sql) => exportTransactions(sql, member, page))) <= page.limit + 2);
  t.ok((await readBy((sql) => listTransactions(sql, member, page))) <= page.limit + 2);
});

t.test("plan - records that a page skips are read from the index alone", async (t) => {
  const skipping = { limit: 100, skip: 30_000 };
  const lists: Record<string, [index: string, list: List]> = {
    "by member": ["transactions_member_idx", (sql) => listTransactions(sql, member, skipping)],
    export: ["transactions_pkey", (sql) => exportTransactions(sql, member, skipping)],
  };
  for (const [name, [index, list]] of Object.entries(lists)) {
    const keys = new RegExp(`Index Only Scan (Backward )?using ${index} on transactions `);
    t.match(await planOf(list), keys, name);
    t.equal(await readBy(list), skipping.skip + skipping.limit + 1, name);
    const rows = await planOf(list, "counted");
    t.match(
      rows,
      /Index Scan [^\n]* on transactions [^\n]*actual rows=1(\.00)? loops=101\b/,
      `${name}: the page's rows`,
    );
  }
});
