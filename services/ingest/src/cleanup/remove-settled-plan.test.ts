import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { explaining, type TestMember, testStore } from "#test-support";
import { testMembers } from "../../../rewards/src/store/test-batch.ts";
import { removeSettled } from "./remove-settled.ts";

/** A time after all rows of this file. */
const LATER = "2100-01-01T00:00:00Z";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const MEMBERS = 3000;
const MANY = 60_000;

/** Cleared purchases, each with a stamp. Each two in a row share a card and a redemption, which is paid. */
async function fill(): Promise<void> {
  const [{ organisationId }] = (await testMembers(store, MEMBERS)) as [TestMember];
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id)
    select gen_random_uuid(), ${organisationId}, id, ${uuidv7()} from members`;
  await store`
    insert into transactions (authed_at, updated_at, cleared_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select '2026-04-01', '2026-04-01', '2026-04-02', m.organisation_id, gen_random_uuid(), m.id, 'many ' || n, 'cleared',
           'visa', 'm', sha256('x')
    from generate_series(0, ${MANY}::int - 1) as n
    join (select *, row_number() over () - 1 as nth from members) as m on m.nth = n / 2 % ${MEMBERS}::int
    order by n`;
  await store`
    insert into qualifying_purchases (
      position, created_at, id, organisation_id, stamp_collection_id, transaction_id, transaction_ref, redemption_id
    )
    select t.n, '2026-04-01', gen_random_uuid(), t.organisation_id, c.id, t.id, t.external_id, r.id
    from (select *, substring(external_id from 6)::int as n from transactions) as t
    join stamp_collections c on c.member_id = t.member_id
    join (
      select gen_random_uuid() as id, nth from generate_series(0, ${MANY}::int / 2) as nth
    ) as r on r.nth = t.n / 2`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select '2026-04-01', redemption_id, organisation_id, stamp_collection_id, (array_agg(transaction_id))[1], array_agg(id)
    from qualifying_purchases group by organisation_id, redemption_id, stamp_collection_id`;
  await store`
    insert into cashbacks (id, organisation_id, transaction_id, amount, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency, created_at, cleared_at)
    select gen_random_uuid(), organisation_id, transaction_id, 50, ${uuidv7()}, stamp_collection_id, id, 'ref', 'cleared',
           'EUR', '2026-04-02', '2026-04-03'
    from redemptions`;
}

t.test(
  "plan - a step of retention reads its blocks and looks the rest up by index, however large the tables are",
  async (t) => {
    await fill();
    await store.script("vacuum analyze");
    const plans: string[] = [];
    await store.begin(async (sql) => {
      const explained = Object.assign(explaining(sql, plans), { savepoint: sql.savepoint });
      const { rows } = await removeSettled(explained, { from: 32, to: 64 }, LATER);
      t.ok(
        rows.transactions > 500 && rows.redemptions > 200 && rows.qualifying_purchases > 500,
        JSON.stringify(rows),
      );
    });
    t.ok(
      plans.some((plan) => /Tid Range Scan on transactions/.test(plan)),
      "its blocks alone",
    );
    const read = plans.filter((plan) =>
      /Seq Scan on (stamp_collections|transactions|qualifying_purchases|redemptions|cashbacks)/.test(plan),
    );
    t.strictSame(
      read.map((plan) => plan.slice(0, 500)),
      [],
    );
  },
);
