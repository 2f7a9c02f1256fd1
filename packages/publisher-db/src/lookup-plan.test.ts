import t from "tap";
import { uuidv7 } from "uuidv7";
import { explaining, testMemberbase, testStore } from "#test-support";
import { getMember } from "../../../services/edge/src/members/member-rows.ts";
import {
  exportTransactions,
  listTransactions,
} from "../../../services/edge/src/transactions/transaction-lists.ts";
import { getTransaction } from "../../../services/edge/src/transactions/transaction-rows.ts";
import { reachableMember } from "./delete-members.ts";

const ROWS = 20_000;
const LOOKUPS = 50;

t.test("plan - single members and transactions are found by index, many together, too", async (t) => {
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

t.test(
  "plan - one that was made while the tables were new reads only the rows that it shows, even after a load",
  async (t) => {
    const store = await testStore(1);
    const { organisationId, memberbaseId } = await testMemberbase(store);
    for (const table of ["members", "transactions", "cashbacks"])
      await store`alter table ${store(table)} set (autovacuum_enabled = false)`;
    const memberId = uuidv7();
    await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    values (${memberId}, ${organisationId}, ${memberbaseId}, 'first')`;
    const lists = async () => {
      const list = await listTransactions(store, { organisationId, memberId }, { limit: 500 });
      const some = await exportTransactions(store, { organisationId }, { limit: 20 });
      return [list?.records.length, some.records.length];
    };
    // The server keeps a plan from the sixth time on.
    for (let n = 0; n < 8; n++) await lists();
    await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id, identifier_6)
    select now(), ${organisationId}, gen_random_uuid(), case when n % 1000 = 0 then ${memberId}::uuid else gen_random_uuid() end,
           'key ' || n, 'authorized', 'visa', 'm', sha256('x')
    from generate_series(1, ${ROWS}::int) as n`;
    const read = async () => {
      const [{ entries }] = await store<[{ entries: number }]>`
      select sum(idx_tup_read)::int as entries, pg_stat_force_next_flush() from pg_stat_user_indexes where relname = 'transactions'`;
      return entries;
    };
    await read();
    const before = await read();
    t.strictSame(await lists(), [ROWS / 1000, 20]);
    await read();
    const entries = (await read()) - before;
    t.ok(entries < 200, `${entries} index entries`);
  },
);

t.test("plan - a look-up of members reads no deleted memberbase, however many there are", async (t) => {
  const store = await testStore(1);
  const { organisationId, memberbaseId } = await testMemberbase(store);
  await store`
    insert into memberbases (id, organisation_id, name, deleted_at)
    select gen_random_uuid(), ${organisationId}, 'deleted', now() from generate_series(1, 5000)`;
  const [kept, gone] = [uuidv7(), uuidv7()];
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select ${kept}::uuid, ${organisationId}::uuid, ${memberbaseId}::uuid, 'kept'
    union all
    (select ${gone}, ${organisationId}, id, 'gone' from memberbases where deleted_at is not null limit 1)`;
  await store.script("vacuum analyze memberbases");
  const read = async () => {
    const [{ rows }] = await store<[{ rows: number }]>`
      select (seq_tup_read + idx_tup_fetch)::int as rows, pg_stat_force_next_flush()
      from pg_stat_user_tables where relname = 'memberbases'`;
    return rows;
  };
  await read();
  const before = await read();
  const found = await store<{ id: string }[]>`
    select id from members m where id = any(${[kept, gone]}::uuid[]) and ${reachableMember(store)}`;
  t.strictSame(found, [{ id: kept }]);
  await read();
  const rows = (await read()) - before;
  t.ok(rows <= 2, `${rows} memberbases`);
});
