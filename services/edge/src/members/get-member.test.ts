import t from "tap";
import { uuidv7 } from "uuidv7";
import { testMemberbase, testStore } from "#test-support";
import { getMember, type MemberKey } from "./member-rows.ts";
import { upsertMembers } from "./upsert-members.ts";

t.test("member get - look-ups that share a statement each get their own member, or nothing", async (t) => {
  const store = await testStore();
  const [mine, theirs] = [await testMemberbase(store), await testMemberbase(store)];
  const refs = Array.from({ length: 40 }, (_, i) => `ref "${i}", {ä\\}`);
  const enrol = async (base: typeof mine) => {
    const members = refs.map((ref) => ({ ref, attributes: { of: base.organisationId, ref } }));
    return (await upsertMembers(store, { ...base, members, ids: members.map(() => uuidv7()) })) as string[];
  };
  const ids = [await enrol(mine), await enrol(theirs)];
  const asked: { organisationId: string; key: MemberKey; found: string | undefined }[] = [];
  for (const [i, ref] of refs.entries()) {
    for (const [whose, { organisationId, memberbaseId }] of [mine, theirs].entries()) {
      const id = ids[whose]?.[i] as string;
      const other = whose === 0 ? theirs.organisationId : mine.organisationId;
      asked.push(
        { organisationId, key: { id }, found: id },
        { organisationId, key: { memberbaseId, ref }, found: id },
        { organisationId: other, key: { id }, found: undefined },
        { organisationId: other, key: { memberbaseId, ref }, found: undefined },
        { organisationId, key: { id: uuidv7() }, found: undefined },
        { organisationId, key: { memberbaseId, ref: `${ref}!` }, found: undefined },
      );
    }
  }
  const answers = await Promise.all(
    asked.map(({ organisationId, key }) => getMember(store, organisationId, key)),
  );
  t.strictSame(
    answers.map((member) => member?.id),
    asked.map(({ found }) => found),
  );
  for (const [i, member] of answers.entries()) {
    if (member === undefined) continue;
    t.strictSame(member.attributes, { of: asked[i]?.organisationId, ref: member.ref });
  }
});

t.test("member get - a write that is answered shows in the very next look-up", async (t) => {
  const store = await testStore();
  const base = await testMemberbase(store);
  const key = { memberbaseId: base.memberbaseId, ref: "a" };
  // Others ask for the same member the whole time, so that there is always a statement to join.
  let done = false;
  const others = Array.from({ length: 8 }, async () => {
    while (!done) await getMember(store, base.organisationId, key);
  });
  for (let count = 0; count < 100; count++) {
    await upsertMembers(store, { ...base, members: [{ ref: "a", attributes: { count } }], ids: [uuidv7()] });
    t.equal((await getMember(store, base.organisationId, key))?.attributes.count, count);
  }
  done = true;
  await Promise.all(others);
});

t.test(
  "member get - a look-up in a database transaction sees what it wrote, and others do not",
  async (t) => {
    const store = await testStore();
    const base = await testMemberbase(store);
    const key = { memberbaseId: base.memberbaseId, ref: "a" };
    await store.begin(async (sql) => {
      await sql`
      insert into members (id, organisation_id, memberbase_id, ref)
      values (${uuidv7()}, ${base.organisationId}, ${base.memberbaseId}, 'a')`;
      t.equal((await getMember(sql, base.organisationId, key))?.ref, "a");
      t.equal(await getMember(store, base.organisationId, key), undefined);
    });
    t.equal((await getMember(store, base.organisationId, key))?.ref, "a");
  },
);
