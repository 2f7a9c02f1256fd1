import t from "tap";
import { uuidv7 } from "uuidv7";
import { ApiError } from "#contract";
import { encodeId } from "#domain";
import type { Sql, Store } from "#postgres";
import { loadMemberLinks } from "#publisher-db";
import {
  interrupted,
  orRefusal,
  type TestMember,
  testDeal,
  testMember,
  testStore,
  waitForLocks,
} from "#test-support";
import { applyDealConfig } from "../../../rewards/src/handle-config.ts";
import { type Clip, listClips, saveClip } from "./clips.ts";

let store: Store;

t.before(async () => {
  store = await testStore(10);
});

const PAST = "2020-01-01T00:00:00.000000Z";
const FUTURE = "2100-01-01T00:00:00.000000Z";

const save = (member: TestMember, dealId: string, sql: Sql = store): Promise<Clip | ApiError> =>
  saveClip(sql, { id: uuidv7(), ...member, dealId }).catch(orRefusal);

async function created(saved: Promise<Clip | ApiError>): Promise<Clip> {
  const outcome = await saved;
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

const alreadyClipped = (clipId = "") => ({
  data: { reason: "already_clipped", clip_id: encodeId("clip", clipId) },
});

const redeem = (clipId: string, sql: Sql = store) =>
  sql`update clips set redeemed_at = now() where id = ${clipId}`;

t.test("clip - it is saved open, listed, and marks its member", async (t) => {
  const member = await testMember(store);
  const { organisationId, memberId } = member;
  const dealId = await testDeal(store);
  const clip = await created(save(member, dealId));
  t.match(clip, { dealId, memberId, createdAt: Date, redeemedAt: null });
  t.match(await listClips(store, organisationId, memberId, { limit: 5 }), { records: [clip], more: false });
  t.match((await loadMemberLinks(store, [memberId])).get(memberId), {
    clips: [{ id: clip.id, dealId, madeAt: Number, retroactive: [{ since: 0, retroactive: false }] }],
    enrolments: [],
  });
  const [row] = await store`select linked from members where id = ${memberId}`;
  t.match(row, { linked: true });
});

t.test(
  "clip - a second one is refused while the first is open, and saved after its redemption",
  async (t) => {
    const member = await testMember(store);
    const { organisationId, memberId } = member;
    const dealId = await testDeal(store);
    const first = await created(save(member, dealId));
    t.match(await save(member, dealId), alreadyClipped(first.id));
    await created(save(member, await testDeal(store)));
    await redeem(first.id);
    const again = await created(save(member, dealId));
    t.not(again.id, first.id);
    t.match(await save(member, dealId), alreadyClipped(again.id));
    const page = await listClips(store, organisationId, memberId, { limit: 1 });
    t.match(page, { records: [{ id: first.id, redeemedAt: Date }], more: true });
    const rest = await listClips(store, organisationId, memberId, { limit: 5, after: first.id });
    t.match(rest, { records: [{ redeemedAt: null }, { id: again.id, redeemedAt: null }], more: false });
  },
);

t.test("clip - one that is saved again is made after the one before, whatever the clocks say", async (t) => {
  const member = await testMember(store);
  const dealId = await testDeal(store);
  const first = await created(save(member, dealId));
  const madeAt = new Date("2100-01-01T00:00:00.123Z");
  await store`update clips set created_at = ${madeAt}, redeemed_at = now() where id = ${first.id}`;
  t.match(await save(member, dealId), { createdAt: new Date(madeAt.getTime() + 1) });
});

t.test("clip - of fifty concurrent saves one creates, and the others get its id", async (t) => {
  const member = await testMember(store);
  const dealId = await testDeal(store);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => save(member, dealId)));
  const winners = outcomes.flatMap((outcome) => (outcome instanceof ApiError ? [] : [outcome]));
  t.equal(winners.length, 1);
  for (const outcome of outcomes) {
    if (outcome instanceof ApiError) t.match(outcome, alreadyClipped(winners[0]?.id));
  }
});

t.test("clip - a save that waits for the redemption of the open one succeeds after it", async (t) => {
  const member = await testMember(store);
  const dealId = await testDeal(store);
  const first = await created(save(member, dealId));
  let outcome: Promise<Clip | ApiError> | undefined;
  await store.begin(async (sql) => {
    await redeem(first.id, sql);
    outcome = save(member, dealId);
    await waitForLocks(store, 1, "%with member as%");
  });
  t.match(await outcome, { dealId });
});

t.test("clip - one that is redeemed while a save looks for it is no longer in the way", async (t) => {
  const member = await testMember(store);
  const dealId = await testDeal(store);
  const first = await created(save(member, dealId));
  const sql = interrupted(store, "select id from clips", () => redeem(first.id));
  t.match(await save(member, dealId, sql), { dealId });
});

t.test("clip - a deal may be saved before it begins, not once it is over", async (t) => {
  const member = await testMember(store);
  t.match(await save(member, await testDeal(store, { startsAt: FUTURE })), { redeemedAt: null });
  t.match(await save(member, await testDeal(store, { startsAt: PAST, endsAt: FUTURE })), {
    redeemedAt: null,
  });
  t.match(await save(member, await testDeal(store, { endsAt: PAST })), {
    data: { reason: "deal_ended", ends_at: new Date(PAST).toISOString() },
  });
});

t.test("clip - needs a deal that is there", async (t) => {
  const member = await testMember(store);
  t.match(await save(member, uuidv7()), { data: { resource: "deal" } });
  const dealId = await testDeal(store);
  await applyDealConfig(store, { id: dealId, revision: 2, record: null });
  t.match(await save(member, dealId), { data: { resource: "deal" } });
  const [row] = await store`select linked from members where id = ${member.memberId}`;
  t.match(row, { linked: false });
});

t.test("clip - a member that is not there, or not reachable, is refused everywhere", async (t) => {
  const dealId = await testDeal(store);
  const [mine, theirs] = [await testMember(store), await testMember(store)];
  await created(save(theirs, dealId));
  const foreign = { ...theirs, organisationId: mine.organisationId };
  for (const member of [foreign, { ...mine, memberId: uuidv7() }]) {
    t.match(await save(member, dealId), { data: { resource: "member" } });
    t.equal(await listClips(store, member.organisationId, member.memberId, { limit: 5 }), undefined);
  }
  await store`update memberbases set deleted_at = now() where id = ${theirs.memberbaseId}`;
  t.match(await save(theirs, await testDeal(store)), { data: { resource: "member" } });
  t.equal(await listClips(store, theirs.organisationId, theirs.memberId, { limit: 5 }), undefined);
});
