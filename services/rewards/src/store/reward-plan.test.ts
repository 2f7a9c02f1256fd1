import t from "tap";
import type { Store } from "#postgres";
import { explainingStore, testStore } from "#test-support";
import { lockForOutcomes } from "./lock-for-outcomes.ts";
import { lockForSettlements } from "./lock-for-settlements.ts";
import { dealOf, purchase, testClip, testMembers, testProgramOf } from "./test-batch.ts";

const MEMBERS = 2000;
/** The stamps of each member: far more than a batch needs. */
const STAMPS = 20;
const BATCH = 50;

let store: Store;

t.before(async () => {
  store = await testStore();
});

/** Members with twenty stamps each, all but the last one redeemed, and a pending redemption. */
async function fill() {
  const members = await testMembers(store, MEMBERS);
  const [member] = members as [(typeof members)[number]];
  const { organisationId } = member;
  const program = await testProgramOf(store, STAMPS + 1, 50);
  await store`
    insert into stamp_collections (
      id, organisation_id, member_id, loyalty_program_id, unredeemed_purchases, next_position
    )
    select gen_random_uuid(), ${organisationId}, id, ${program}, 1, ${STAMPS + 1} from members`;
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network,
                              merchant_id, identifier_6)
    select now(), organisation_id, gen_random_uuid(), id, ref || ' ' || n, 'authorized', 'visa', 'm',
           sha256(ref::bytea)
    from members cross join generate_series(1, ${STAMPS}::int) as n`;
  await store`
    insert into qualifying_purchases (
      position, created_at, id, organisation_id, stamp_collection_id, transaction_id, transaction_ref
    )
    select row_number() over (partition by c.id order by t.id), now(), gen_random_uuid(), t.organisation_id, c.id,
           t.id, t.external_id
    from transactions t join stamp_collections c on c.member_id = t.member_id`;
  await store`
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
    select now(), gen_random_uuid(), organisation_id, stamp_collection_id,
           (array_agg(transaction_id order by position desc))[1], array_agg(id order by position)
    from qualifying_purchases where position < ${STAMPS} group by organisation_id, stamp_collection_id`;
  await store`
    update qualifying_purchases q set redemption_id = r.id
    from redemptions r where r.stamp_collection_id = q.stamp_collection_id and q.position < ${STAMPS}`;
  await store`
    insert into cashbacks (
      id, organisation_id, transaction_id, amount, loyalty_program_id, stamp_collection_id, redemption_id,
      transaction_ref, state, currency
    )
    select gen_random_uuid(), r.organisation_id, r.transaction_id, 50, ${program}, r.stamp_collection_id, r.id,
           t.external_id, 'pending', 'EUR'
    from redemptions r join transactions t on t.id = r.transaction_id`;
  await store`
    update stamp_collections c set pending_redemptions = array[r.id]
    from redemptions r where r.stamp_collection_id = c.id`;
  const clip = await testClip(store, member);
  const pairs = await store<{ transactionId: string; collectionId: string; memberId: string }[]>`
    select q.transaction_id as "transactionId", c.id as "collectionId", c.member_id as "memberId"
    from qualifying_purchases q join stamp_collections c on c.id = q.stamp_collection_id
    where q.position = ${STAMPS - 1} order by c.id limit ${BATCH}`;
  return { organisationId, clip, pairs };
}

t.test("plan - a batch reads its rows by index, and none of other members", async (t) => {
  const { organisationId, clip, pairs } = await fill();
  await store`update transactions set state = 'reverted', reverted_at = now() where external_id ^@ 'member'`;
  await store.script("vacuum analyze");
  const ids = pairs.map(({ transactionId }) => transactionId);
  const plans: string[] = [];
  await explainingStore(store, plans).begin(async (sql) => {
    const subjects = pairs.map((pair) => purchase(pair.transactionId, pair.collectionId));
    const loaded = await lockForOutcomes(sql, [...subjects, dealOf(ids[0] as string, clip)]);
    t.equal(loaded.targets.size, BATCH + 1);
    t.equal(loaded.transactions.size, BATCH);
  });
  const ofOutcomes = plans.length;
  await explainingStore(store, plans).begin(async (sql) => {
    const settled = ids.map((transactionId) => ({ organisationId, transactionId }));
    const loaded = await lockForSettlements(sql, settled);
    t.equal(loaded.targets.size, BATCH);
    for (const { state } of loaded.targets.values()) {
      t.equal(
        state.kind === "collection" && state.stamps.length,
        STAMPS,
        "the redemption that the reversal undoes exists",
      );
    }
  });
  t.strictSame(
    [ofOutcomes, plans.length - ofOutcomes],
    [7, 7],
    "statements of a batch that needs all of them",
  );
  for (const plan of plans) {
    t.notMatch(
      plan,
      /Seq Scan on (stamp_collections|transactions|qualifying_purchases|redemptions|cashbacks)/,
      plan,
    );
  }
});

t.test("plan - settlements of transactions that have earned nothing are one look-up", async (t) => {
  const plans: string[] = [];
  const { organisationId } = (await testMembers(store, 1))[0] as { organisationId: string };
  await explainingStore(store, plans).begin(async (sql) => {
    const transactionId = "01900000-0000-7000-8000-000000000000";
    const loaded = await lockForSettlements(sql, [{ organisationId, transactionId }]);
    t.equal(loaded.touched.size, 0);
  });
  t.equal(plans.length, 1);
});
