import { randomUUID } from "node:crypto";
import t from "tap";
import { closeStore, connectStore, type Store } from "#postgres";
import { explainingStore, testMember, testServers } from "#test-support";
import { forgetMembers } from "./forget-members.ts";

let store: Store;
let url: string;

t.before(async () => {
  url = await (await testServers()).databaseUrl();
  store = connectStore({ url, max: 2, applicationName: "test" });
  t.teardown(() => closeStore(store));
});

t.beforeEach(async () => {
  await store`truncate deleted_members, clips`;
});

/** A member with a clip, deleted so long ago that their purchases earn nothing any more. */
async function deletedMember() {
  const { organisationId, memberId } = await testMember(store);
  const clip = randomUUID();
  await store`
    insert into clips (id, organisation_id, member_id, deal_id)
    values (${clip}, ${organisationId}, ${memberId}, ${randomUUID()})`;
  await store`delete from members where id = ${memberId}`;
  await store`
    update deleted_members set changed_at = now() - interval '70 days', due_at = now() - interval '1 day'
    where member_id = ${memberId}`;
  return { organisationId, memberId, clip };
}

const clips = async () => (await store<{ id: string }[]>`select id from clips`).map(({ id }) => id);

t.test("regression - all purchases of a deleted member were read, and then again under locks", async (t) => {
  const { organisationId, memberId } = await deletedMember();
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6, updated_at)
    select now() - interval '100 days', ${organisationId}, gen_random_uuid(), ${memberId}, n::text, 'authorized', 'visa', 'M',
           sha256('x'), now() - interval '90 days'
    from generate_series(1, 2000) n`;
  await store.script("vacuum analyze transactions");
  const plans: string[] = [];
  await forgetMembers(explainingStore(store, plans));
  t.strictSame(await clips(), []);
  t.ok(plans.length > 4);
  // Before a cashback is deleted, its purchase is looked up by key.
  for (const plan of plans) t.notMatch(plan, /transactions_member_idx|Seq Scan on transactions/, plan);
});

t.test("regression - a deleted member who could not be forgotten held up all behind it", async (t) => {
  const first = await deletedMember();
  await store`update deleted_members set due_at = due_at - interval '1 day'`;
  await deletedMember();
  const impatient = connectStore({ url, max: 1, applicationName: "test", statementTimeoutMs: 200 });
  t.teardown(() => closeStore(impatient));
  await store.begin(async (sql) => {
    await sql`select from clips where id = ${first.clip} for update`;
    await t.rejects(forgetMembers(impatient), { code: "57014" });
    t.strictSame(await clips(), [first.clip]);
    await forgetMembers(impatient);
  });
  const rows = await store<{ memberId: string }[]>`
    select member_id as "memberId" from deleted_members where due_at > now()`;
  t.strictSame(
    rows.map(({ memberId }) => memberId),
    [first.memberId],
    "it is put off",
  );
  await store`update deleted_members set due_at = now()`;
  await forgetMembers(store);
  t.strictSame(await clips(), []);
});
