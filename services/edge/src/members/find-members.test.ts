import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { explaining, testMemberbase, testOrganisation, testStore } from "#test-support";
import { findMembers } from "./find-members.ts";
import { createMemberbase, deleteMemberbase } from "./memberbases.ts";
import { upsertMembers } from "./upsert-members.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const newBase = async (organisationId: string) =>
  (await createMemberbase(store, { id: uuidv7(), organisationId, name: "more" })).id;

async function addMember(organisationId: string, memberbaseId: string, ref: string): Promise<string> {
  const ids = await upsertMembers(store, {
    organisationId,
    memberbaseId,
    members: [{ ref }],
    ids: [uuidv7()],
  });
  return ids?.[0] as string;
}

/** The ids of each page. */
async function walk(
  organisationId: string,
  { limit, skip = 0, ref = "ada" }: { limit: number; skip?: number; ref?: string },
  between?: () => Promise<unknown>,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await findMembers(
      store,
      { organisationId, ref },
      { limit, after, ...(after === undefined && { skip }) },
    );
    t.equal(page.more, page.next !== undefined);
    pages.push(page.records.map(({ id }) => id));
    after = page.next;
    await between?.();
  } while (after !== undefined);
  return pages;
}

t.test(
  "find - that ref in every memberbase that is not deleted, of one organisation, exact bytes",
  async (t) => {
    const { organisationId, memberbaseId } = await testMemberbase(store);
    const [second, empty, deleted] = [
      await newBase(organisationId),
      await newBase(organisationId),
      await newBase(organisationId),
    ];
    const other = await testMemberbase(store);
    const expected = [
      await addMember(organisationId, memberbaseId, "ada"),
      await addMember(organisationId, second, "ada"),
    ];
    for (const near of ["Ada", "ada ", "ad"]) await addMember(organisationId, empty, near);
    await addMember(organisationId, deleted, "ada");
    await addMember(other.organisationId, other.memberbaseId, "ada");
    await deleteMemberbase(store, organisationId, deleted);
    t.strictSame(await walk(organisationId, { limit: 10 }), [expected]);
    const { records } = await findMembers(store, { organisationId, ref: "ada" }, { limit: 10 });
    t.match(records, [
      { ref: "ada", memberbaseId, attributes: {}, createdAt: Date, updatedAt: Date },
      { memberbaseId: second },
    ]);
    t.strictSame(await walk(organisationId, { limit: 10, ref: "unknown" }), [[]]);
    t.strictSame(await walk(await testOrganisation(store), { limit: 10 }), [[]]);
  },
);

t.test("find - pages meet each member once, while others are added and removed", async (t) => {
  const { organisationId, memberbaseId } = await testMemberbase(store);
  const ids = [await addMember(organisationId, memberbaseId, "ada")];
  for (let n = 1; n < 12; n++) {
    const base = await newBase(organisationId);
    if (n % 3 !== 0) ids.push(await addMember(organisationId, base, "ada"));
  }
  for (const limit of [1, 2, 5, 9, 10]) {
    const walked = await walk(organisationId, { limit }, async () =>
      addMember(organisationId, await newBase(organisationId), "bo"),
    );
    t.strictSame(walked.flat(), ids, `in pages of ${limit}`);
    t.ok(walked.every((page) => page.length <= limit));
    t.strictSame((await walk(organisationId, { limit, skip: 3 })).flat(), ids.slice(3), "without three");
  }
});

t.test("find - each memberbase costs one look-up, and a page looks into a bounded number", async (t) => {
  const { organisationId } = await testMemberbase(store);
  const bases = LIMITS.rowsPerScan + 50;
  await store`
    insert into memberbases (id, organisation_id, name)
    select gen_random_uuid(), ${organisationId}, 'base ' || n from generate_series(1, ${bases}::int) as n`;
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select gen_random_uuid(), organisation_id, id, ref
    from memberbases cross join (values ('eve'), ('bob'), ('joe')) as given (ref)
    where name like 'base %'`;
  const [last] = await store<[{ id: string; member: string }]>`
    select b.id, m.id as member from memberbases b join members m on m.memberbase_id = b.id and m.ref = 'joe'
    where b.organisation_id = ${organisationId} order by b.id desc limit 1`;
  await store`update members set ref = 'ada' where id = ${last.member}`;
  await store.script("vacuum analyze members");
  await store.script("vacuum analyze memberbases");
  t.strictSame(await walk(organisationId, { limit: 1 }), [[], [last.member]]);
  const plans: string[] = [];
  await findMembers(explaining(store, plans), { organisationId, ref: "ada" }, { limit: 1 });
  t.equal(plans.length, 1);
  t.match(plans[0], /Index Cond: .*ref = 'ada'/);
  t.notMatch(plans[0], /Seq Scan on members\b|Sort/);
});
