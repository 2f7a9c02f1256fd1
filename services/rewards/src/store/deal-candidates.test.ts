import t from "tap";
import { type TestMember, testStore } from "#test-support";
import { findDue } from "./deal-candidates.ts";
import { testMembers } from "./test-batch.ts";

t.test("regression - candidates of one organisation kept those of another from being tried", async (t) => {
  const store = await testStore();
  const [many] = (await testMembers(store, 1)) as [TestMember];
  const [few] = (await testMembers(store, 1)) as [TestMember];
  const keep = ({ organisationId, memberId }: TestMember, clips: number, candidates: number) => store`
    with opened as (
      insert into clips (id, organisation_id, member_id, deal_id)
      select gen_random_uuid(), ${organisationId}, ${memberId}, gen_random_uuid()
      from generate_series(1, ${clips}::int)
      returning id
    )
    insert into deal_candidates (clip_id, transaction_id, authed_at, outcome)
    select id, gen_random_uuid(), now() - n * interval '1 hour', n::text
    from opened, generate_series(1, ${candidates}::int) n`;
  await keep(many, 600, 2);
  await keep(few, 2, 3);
  const due = await findDue(store);
  t.equal(due.length, 500);
  t.equal(new Set(due.map(({ openClipId }) => openClipId)).size, 500, "one of each clip");
  t.ok(
    due.every(({ outcome }) => outcome === "1"),
    "the newest",
  );
  const [{ own }] = await store<[{ own: number }]>`
    select count(*)::int as own from clips
    where member_id = ${few.memberId} and id = any(${due.slice(0, 4).map(({ openClipId }) => openClipId)}::uuid[])`;
  t.equal(own, 2, "by turns");
});
