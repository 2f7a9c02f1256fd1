import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { deleteMembers } from "#publisher-db";
import { type TestMember, testMember, testOrganisation, testStore } from "#test-support";
import { exportTransactions, listTransactions } from "./transaction-lists.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

interface Given {
  readonly externalId: string;
  readonly state?: "authorized" | "cleared" | "reverted";
  readonly authedAt?: string;
}

/** Each transaction is newer than the one before it. */
async function addTransactions(
  { organisationId, memberId }: Pick<TestMember, "organisationId" | "memberId">,
  ...given: Given[]
): Promise<void> {
  for (const { externalId, state = "authorized", authedAt = "2026-03-01T10:00:00Z" } of given) {
    await store`
      insert into transactions (authed_at, cleared_at, reverted_at, organisation_id, id, member_id, external_id, state,
                                network, merchant_id, identifier_6)
      values (${authedAt}::text::timestamptz, ${state === "cleared" ? authedAt : null}::text::timestamptz,
              ${state === "reverted" ? authedAt : null}::text::timestamptz, ${organisationId}, ${uuidv7()}, ${memberId},
              ${externalId}, ${state}, 'visa', 'm', ${randomBytes(32)})`;
  }
}

type Lister = (page: {
  limit: number;
  after?: string | undefined;
  skip?: number;
}) => Promise<
  | { readonly records: readonly { externalId: string }[]; readonly more: boolean; readonly next?: string }
  | undefined
>;

/** The refs of each page, from first to last. `between` runs after each page. */
async function walk(
  list: Lister,
  limit: number,
  skip = 0,
  between?: () => Promise<void>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await list({ limit, after, ...(after === undefined && { skip }) });
    if (page === undefined) throw new Error("there is no such list");
    t.equal(page.more, page.next !== undefined);
    pages.push(page.records.map(({ externalId }) => externalId));
    after = page.next;
    await between?.();
  } while (after !== undefined);
  return pages;
}

const span = (since?: string, until?: string) => ({ since, until });
const names = (...numbers: number[]) => numbers.map((n) => `tx ${n}`);

t.test("list - newest first, by state and by when it was authorized", async (t) => {
  const member = await testMember(store);
  const at = (day: number) => `2026-03-0${day}T10:00:00.000000Z`;
  await addTransactions(
    member,
    { externalId: "tx 1", state: "cleared", authedAt: at(1) },
    { externalId: "tx 2", state: "reverted", authedAt: at(2) },
    // Authorized before the others and sent after them: the time of authorization decides.
    { externalId: "tx 3", state: "cleared", authedAt: "2026-02-01T10:00:00Z" },
    { externalId: "tx 4", state: "cleared", authedAt: "2026-03-03T10:00:00.000001Z" },
    { externalId: "tx 5", authedAt: at(4) },
  );
  const list = async (filter: object, limit = 10) =>
    (await listTransactions(store, { ...member, ...filter }, { limit }))?.records.map(
      ({ externalId }) => externalId,
    );
  t.strictSame(await list({}), names(5, 4, 3, 2, 1));
  t.strictSame(await list({ state: "cleared" }), names(4, 3, 1));
  t.strictSame(await list({ state: "cleared" }, 2), names(4, 3));
  t.strictSame(await list({ state: "authorized" }), names(5));
  t.strictSame(await list({ authed: span(at(2)) }), names(5, 4, 2), "since counts itself");
  t.strictSame(await list({ authed: span(undefined, at(2)) }), names(3, 1), "until does not");
  t.strictSame(await list({ authed: span(at(3)) }), names(5, 4));
  t.strictSame(await list({ authed: span("2026-03-03T10:00:00.000002Z") }), names(5), "to the microsecond");
  t.strictSame(await list({ state: "cleared", authed: span(at(1), at(3)) }), names(1));
  t.strictSame(await list({ state: "reverted", authed: span(at(3)) }), []);
});

t.test("list - pages meet each record once, while others are added", async (t) => {
  const member = await testMember(store);
  const states = ["cleared", "authorized", "reverted"] as const;
  const numbers = Array.from({ length: 30 }, (_, i) => i);
  await addTransactions(
    member,
    ...numbers.map((n) => ({ externalId: `tx ${n}`, state: states[n % 3] as "cleared" })),
  );
  const newestFirst = (wanted: number[]) => names(...wanted.toReversed());
  const cleared = numbers.filter((n) => n % 3 === 0);
  for (const limit of [1, 3, 7, 10, 30]) {
    let added = 0;
    const more = () => addTransactions(member, { externalId: `new ${limit} ${++added}`, state: "cleared" });
    const list: Lister = (page) => listTransactions(store, { ...member, state: "cleared" }, page);
    const walked = (await walk(list, limit, 0, more)).flat().filter((name) => !name.startsWith("new"));
    t.strictSame(walked, newestFirst(cleared), `in pages of ${limit}`);
  }
  const all: Lister = (page) => listTransactions(store, member, page);
  const skipped = (await walk(all, 4, 50)).flat();
  t.ok(skipped.length > 0);
  t.strictSame(skipped, (await walk(all, 1000)).flat().slice(50), "without the first 50");
});

t.test("export - in the order of external_id, of one organisation alone, also without members", async (t) => {
  const member = await testMember(store);
  const other = await testMember(store);
  await addTransactions(member, { externalId: "b" }, { externalId: "ä" }, { externalId: "a b" });
  await addTransactions(member, { externalId: "Z" }, { externalId: "7 a" });
  await addTransactions(other, { externalId: "a" }, { externalId: "c" });
  await deleteMembers(store, { ...other, which: { ids: [other.memberId] } });
  const { organisationId } = member;
  const list: Lister = (page) => exportTransactions(store, { organisationId }, page);
  for (const limit of [1, 2, 5]) {
    t.strictSame((await walk(list, limit)).flat(), ["7 a", "Z", "a b", "b", "ä"], `in pages of ${limit}`);
  }
  t.match(await exportTransactions(store, { organisationId: await testOrganisation(store) }, { limit: 5 }), {
    records: [],
    more: false,
  });
  const theirs = await exportTransactions(store, other, { limit: 5 });
  t.match(theirs, { records: [{ externalId: "a" }, { externalId: "c" }], more: false });
  t.strictSame(
    theirs.records.map(({ memberId }) => memberId),
    [null, null],
    "a deleted member's stay, without it",
  );
});

t.test("export - a page looks at a bounded number of rows, and the walk continues after them", async (t) => {
  const { organisationId } = await testMember(store);
  const rows = 2 * LIMITS.rowsPerScan + 500;
  // One of the first scan, none of the second, and the last two of the third.
  const authedOf = (n: string) =>
    `case when ${n} in (7, ${rows - 1}, ${rows}) then '2026-05-01' else '2026-03-01' end`;
  await store.script(`
    insert into transactions (authed_at, organisation_id, id, external_id, state, network, merchant_id, identifier_6)
    select (${authedOf("n")})::timestamptz, '${organisationId}', gen_random_uuid(), 'tx ' || to_char(n, 'FM000000'),
           'authorized', 'visa', 'm', sha256(n::text::bytea)
    from generate_series(1, ${rows}) as n`);
  const authed = span("2026-05-01T00:00:00.000000Z");
  const list: Lister = (page) => exportTransactions(store, { organisationId, authed }, page);
  const [first, last] = ["tx 000007", `tx 0${rows}`];
  t.strictSame(await walk(list, 100), [[first], [], [`tx 0${rows - 1}`, last]]);
  t.strictSame((await walk(list, 1)).flat(), [first, `tx 0${rows - 1}`, last]);
  for (const skip of [1, 2, 3]) {
    const walked = (await walk(list, 100, skip)).flat();
    t.strictSame(walked, [first, `tx 0${rows - 1}`, last].slice(skip), `without the first ${skip}`);
  }
  const whole: Lister = (page) => exportTransactions(store, { organisationId }, page);
  const pages = await walk(whole, LIMITS.pageLimitMax);
  t.strictSame(new Set(pages.flat()).size, rows);
  t.ok(
    pages.slice(0, -1).every(({ length }) => length === LIMITS.pageLimitMax),
    "without a condition every page is whole",
  );
});
