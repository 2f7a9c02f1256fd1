import t from "tap";
import { uuidv7 } from "uuidv7";
import { explaining, testMemberbase, testStore } from "#test-support";
import { getMember } from "../../../services/edge/src/members/member-rows.ts";
import { getTransaction } from "../../../services/edge/src/transactions/transaction-rows.ts";

const ROWS = 20_000;
const LOOKUPS = 50;

t.test("plan - single members and transactions are found by index, many at once too", async (t) => {
  const store = await testStore();
  const { organisationId, memberbaseId } = await testMemberbase(store);
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select gen_random_uuid(), ${organisationId}, ${memberbaseId}, 'member ' || n
    from generate_series(1, ${ROWS}::int) as n`;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select now(), organisation_id, gen_random_uuid(), id, ref, 'authorized', 'visa', 'm', sha256(ref::bytea)
    from members`;
  await store.script("vacuum analyze members");
  await store.script("vacuum analyze transactions");

  const plans: string[] = [];
  const sql = explaining(store, plans);
  const each = <T>(look: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: LOOKUPS }, (_, n) => look(n * 7 + 1)));
  const members = await each((n) => getMember(sql, organisationId, { memberbaseId, ref: `member ${n}` }));
  t.ok(members.every((member) => member !== undefined));
  await Promise.all(members.map((member) => getMember(sql, organisationId, { id: member?.id ?? uuidv7() })));
  const transactions = await each((n) => getTransaction(sql, organisationId, `member ${n}`));
  t.strictSame(
    transactions.map((transaction) => transaction?.memberId),
    members.map((member) => member?.id),
  );
  t.ok(plans.length < LOOKUPS, `${plans.length} statements for ${3 * LOOKUPS} look-ups`);
  for (const plan of plans) t.notMatch(plan, /Seq Scan on (members|transactions)/);
});
