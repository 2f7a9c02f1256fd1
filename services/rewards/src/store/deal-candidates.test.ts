import t from "tap";
import { lowestUuidAt } from "#domain";
import { type TestMember, testStore } from "#test-support";
import { type CandidateKey, dropPast, findDue } from "./deal-candidates.ts";
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
  const due = await findDue(store, undefined);
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

t.test("candidates - a step looks up a bounded number, and steps reach them all", async (t) => {
  const store = await testStore();
  const [member] = (await testMembers(store, 1)) as [TestMember];
  const keep = (clip: string, isOpen: boolean, candidates: number) => store`
    with made as (
      insert into clips (id, organisation_id, member_id, deal_id, redeemed_at)
      values (${clip}, ${member.organisationId}, ${member.memberId}, gen_random_uuid(), ${isOpen ? null : new Date()})
      returning id
    )
    insert into deal_candidates (clip_id, transaction_id, authed_at, kept_at, outcome)
    select id, gen_random_uuid(), now(), now() - (n % 2) * interval '61 days', 'of ' || id
    from made, generate_series(1, ${candidates}::int) n`;
  const [redeemed, last] = [lowestUuidAt(1), lowestUuidAt(2)];
  await keep(redeemed, false, 5_000);
  await keep(last, true, 2);
  const found: string[] = [];
  let steps = 0;
  for (let after: CandidateKey | undefined, isFirst = true; isFirst || after !== undefined; steps++) {
    isFirst = false;
    found.push(...(await findDue(store, after)).map(({ outcome }) => outcome));
    after = await dropPast(store, after);
  }
  t.strictSame(found, [`of ${last}`]);
  t.equal(steps, 4, "of 2,000, and one that finds no more");
  const [{ left }] = await store<[{ left: number }]>`select count(*)::int as left from deal_candidates`;
  t.equal(left, 2_501, "half of them were too old");
});
