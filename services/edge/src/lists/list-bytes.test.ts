import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import {
  dealRecord,
  programRecord,
  type TestMember,
  testMember,
  testMemberbase,
  testStore,
} from "#test-support";
import { applyDealConfig, applyProgramConfig } from "../../../rewards/src/handle-config.ts";
import { findMembers } from "../members/find-members.ts";
import { getMember, listMembers } from "../members/member-rows.ts";
import { listDeals } from "../offers/deals.ts";
import { listPrograms } from "../offers/programs.ts";
import { exportTransactions, listTransactions } from "../transactions/transaction-lists.ts";

/*
 * The bytes of a page are bounded inside PostgreSQL: bounding the answer would be too late, with a thousand
 * long records in memory.
 */

let store: Store;

t.before(async () => {
  store = await testStore();
});

interface ListedPage {
  readonly records: readonly { readonly id: string }[];
  readonly more: boolean;
  readonly next?: string | undefined;
}

/** The ids of each page. Pages are as long as allowed. */
async function walk(
  list: (page: { limit: number; after?: string | undefined }) => Promise<ListedPage | undefined>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  let more = true;
  while (more && pages.length < 100) {
    const page = await list({ limit: LIMITS.pageLimitMax, after });
    if (page === undefined) throw new Error("there is no such list");
    pages.push(page.records.map(({ id }) => id));
    after = page.next ?? page.records.at(-1)?.id;
    more = page.more;
  }
  return pages;
}

const lengths = (pages: readonly string[][]) => pages.map((ids) => ids.length);

const MIB = 1024 * 1024;
/** PostgreSQL can compress the first text and not the second. */
const TEXTS = {
  compressible: (bytes: number) => "x".repeat(bytes),
  incompressible: (bytes: number) => randomBytes(bytes / 2).toString("hex"),
};

async function addLargeMember(
  base: { organisationId: string; memberbaseId: string },
  ref: string,
  text: string,
  sql: Store = store,
) {
  const id = uuidv7();
  await sql`
    insert into members (id, organisation_id, memberbase_id, ref, attributes)
    values (${id}, ${base.organisationId}, ${base.memberbaseId}, ${ref}, ${JSON.stringify({ text })}::text::jsonb)`;
  return id;
}

for (const [kind, text] of Object.entries(TEXTS)) {
  t.test(`list bytes - members of an earlier version, ${kind}, come a few at a time`, async (t) => {
    const base = await testMemberbase(store);
    const sizes = [100, 8 * MIB, 8 * MIB, MIB, MIB, MIB, 100, 100];
    const ids: string[] = [];
    for (const [at, size] of sizes.entries()) ids.push(await addLargeMember(base, `m${at}`, text(size)));
    const pages = await walk((page) => listMembers(store, base, page));
    t.strictSame(pages.flat(), ids);
    t.strictSame(lengths(pages), [2, 1, 5]);
    const filter = { column: "ref", operator: "in", values: sizes.map((_, at) => `m${at}`) } as const;
    t.strictSame(await walk((page) => listMembers(store, { ...base, filter }, page)), pages, "by a filter");
    t.match(await listMembers(store, base, { limit: 1000, skip: 1 }), { records: { length: 1 }, more: true });
  });
}

t.test("list bytes - a page of the largest members that there may be is read in parts", async (t) => {
  const base = await testMemberbase(store);
  const text = TEXTS.compressible(LIMITS.attributeBytesPerMember - 11);
  await store`
    insert into members (id, organisation_id, memberbase_id, ref, attributes)
    select gen_random_uuid(), ${base.organisationId}, ${base.memberbaseId}, 'm' || n,
           jsonb_build_object('text', ${text}::text)
    from generate_series(1, 600) n`;
  const pages = await walk((page) => listMembers(store, base, page));
  t.equal(new Set(pages.flat()).size, 600);
  t.strictSame(lengths(pages), [256, 256, 88]);
});

t.test("list bytes - members with one ref, of many memberbases", async (t) => {
  const first = await testMemberbase(store);
  const { organisationId } = first;
  const ids = [await addLargeMember(first, "ada", TEXTS.incompressible(3 * MIB))];
  for (const size of [3 * MIB, 3 * MIB, 10]) {
    const memberbaseId = uuidv7();
    await store`
      insert into memberbases (id, organisation_id, name) values (${memberbaseId}, ${organisationId}, 'more')`;
    ids.push(await addLargeMember({ organisationId, memberbaseId }, "ada", TEXTS.incompressible(size)));
  }
  const pages = await walk((page) => findMembers(store, { organisationId, ref: "ada" }, page));
  t.strictSame(pages.flat(), ids);
  t.strictSame(lengths(pages), [2, 2]);
});

t.test("list bytes - programs and deals with long display content", async (t) => {
  const contentOf = (bytes: number) => ({
    ...programRecord().displayContent,
    terms: TEXTS.incompressible(bytes),
  });
  const programs: string[] = [];
  const deals: string[] = [];
  for (let n = 0; n < 7; n++) {
    const displayContent = contentOf(900_000);
    programs.push(uuidv7());
    deals.push(uuidv7());
    const [program, deal] = [programs.at(-1) as string, deals.at(-1) as string];
    await applyProgramConfig(store, { id: program, revision: 1, record: programRecord({ displayContent }) });
    await applyDealConfig(store, { id: deal, revision: 1, record: dealRecord({ displayContent }) });
  }
  const listed = {
    programs: await walk((page) => listPrograms(store, page)),
    deals: await walk((page) => listDeals(store, page)),
  };
  t.strictSame([listed.programs.flat(), listed.deals.flat()], [programs, deals]);
  t.strictSame(
    [lengths(listed.programs), lengths(listed.deals)],
    [
      [5, 2],
      [5, 2],
    ],
  );
});

/** A transaction with this many earnings. */
async function addTransaction(member: TestMember, externalId: string, rewards: number): Promise<string> {
  const { organisationId, memberId } = member;
  const id = uuidv7();
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id, identifier_6)
    values (now(), ${organisationId}, ${id}, ${memberId}, ${externalId}, 'authorized', 'visa', 'm', ${randomBytes(32)})`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, clip_id, deal_id, transaction_ref, state, currency)
    select gen_random_uuid(), ${organisationId}, ${id}, 1, ${memberId}, gen_random_uuid(), gen_random_uuid(),
           ${externalId}, 'pending', 'EUR'
    from generate_series(1, ${rewards}::int)`;
  return id;
}

t.test("list bytes - transactions that have earned very much", async (t) => {
  const member = await testMember(store);
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await addTransaction(member, `tx ${n}`, 4_000));
  const listed = await walk((page) => listTransactions(store, member, page));
  t.strictSame(listed.flat(), ids.toReversed());
  const first = await listTransactions(store, member, { limit: 1000 });
  const last = first?.records.at(-1);
  t.equal(last && first?.placeOf(last), first?.next, "an answer that is cut goes on in the same way");
  t.ok(listed.length > 1 && listed.length < 5, JSON.stringify(lengths(listed)));
  const exported = await walk((page) => exportTransactions(store, member, page));
  t.strictSame(exported.flat(), ids);
  t.ok(exported.length > 1 && exported.length < 5, JSON.stringify(lengths(exported)));
});

t.test("list bytes - records left out are not read", async (t) => {
  // One session, so that its statistics are complete.
  const store = await testStore(1);
  const base = await testMemberbase(store);
  for (let n = 0; n < 6; n++) await addLargeMember(base, `m${n}`, TEXTS.incompressible(4 * MIB), store);
  const blocksFetched = async (): Promise<number> => {
    await store`select pg_stat_force_next_flush()`;
    const [{ blocks }] = await store<[{ blocks: number }]>`
      select pg_stat_get_blocks_fetched(reltoastrelid) as blocks from pg_class where relname = 'members'`;
    return blocks;
  };
  const blocksOf = async (read: () => Promise<unknown>): Promise<number> => {
    const before = await blocksFetched();
    await read();
    return (await blocksFetched()) - before;
  };
  const { organisationId, memberbaseId } = base;
  const ofOne = await blocksOf(() => getMember(store, organisationId, { memberbaseId, ref: "m0" }));
  const ofPage = await blocksOf(() => listMembers(store, base, { limit: 1000 }));
  t.ok(ofOne > 500, `${ofOne} blocks of one`);
  // Each row is read twice: once to measure it, once to return it.
  t.ok(ofPage <= 2 * ofOne + 10, `${ofPage} blocks of a page`);
});
