import t from "tap";
import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { Store, Transaction } from "#postgres";
import { explaining, type TestMember, testStore } from "#test-support";
import {
  contextAt,
  dealOf,
  purchase,
  settle,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  testTransactions,
  writeOutcomes,
  writeSettlements,
} from "../../../services/rewards/src/store/test-batch.ts";
import { REWARD_CHECKS, type RewardFaultKind } from "./reward-checks.ts";
import { verifyRewards } from "./verify-rewards.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

/**
 * A collection with a threshold of two: a paid redemption that has lost a stamp since, an undone one, two
 * pending ones, and an unredeemed stamp; and a redeemed and an open clip.
 */
async function makeRewards() {
  const [member, other] = (await testMembers(store, 2)) as [TestMember, TestMember];
  const { organisationId } = member;
  const collection = await testCollection(store, member, await testProgramOf(store, 2, 50));
  const clips = [await testClip(store, member), await testClip(store, member)] as const;
  const ids = await testTransactions(store, member, 8);
  let at = 0;
  const outcome = (...batch: Parameters<typeof writeOutcomes>[1]) =>
    store.begin((sql) => writeOutcomes(sql, batch, contextAt(++at)));
  const learn = async (place: number, state: "cleared" | "reverted") => {
    await settle(store, member, ids[place] as string, state);
    await store.begin((sql) =>
      writeSettlements(sql, organisationId, [ids[place] as string], contextAt(++at)),
    );
  };
  await outcome(...ids.slice(0, 2).map((id) => purchase(id, collection)));
  await learn(1, "cleared");
  await learn(0, "reverted");
  await outcome(...ids.slice(2, 4).map((id) => purchase(id, collection)));
  await learn(3, "reverted");
  await outcome(...ids.slice(4).map((id) => purchase(id, collection)));
  await outcome(dealOf(ids[0] as string, clips[0]), dealOf(ids[1] as string, clips[0]));
  return { member, other, collection, clips, ids };
}

const clear = () =>
  store`
    truncate organisations, members, stamp_collections, clips, transactions, qualifying_purchases, redemptions, cashbacks, events cascade`.then();

/** The kinds of damage; some of them break more than one check. */
const DAMAGE: Record<
  RewardFaultKind,
  (made: Awaited<ReturnType<typeof makeRewards>>) => PromiseLike<unknown>
> = {
  counter: ({ collection }) =>
    store`update stamp_collections set unredeemed_purchases = 2 where id = ${collection}`,
  invariant: ({ collection }) =>
    store`
      update redemptions set undone_at = now()
      where stamp_collection_id = ${collection} and undone_at is null`,
  position: ({ collection }) =>
    store`update stamp_collections set next_position = 2 where id = ${collection}`,
  pending: ({ collection }) =>
    store`update stamp_collections set pending_redemptions = '{}' where id = ${collection}`,
  stamp_transaction: ({ ids }) => store`delete from transactions where id = ${ids[7] as string}`,
  stamp_member: ({ ids, other }) =>
    store`update transactions set member_id = ${other.memberId} where id = ${ids[7] as string}`,
  stamp_voided: ({ ids }) =>
    store`
      update transactions set state = 'authorized', reverted_at = null where id = ${ids[0] as string}`,
  stamp_redemption: ({ ids }) =>
    store`update qualifying_purchases set redemption_id = ${uuidv7()} where transaction_id = ${ids[7] as string}`,
  stamp_reverted: async ({ ids, member }) => {
    await settle(store, member, ids[7] as string, "reverted");
    await store`update transactions set updated_at = now() - interval '61 minutes' where id = ${ids[7] as string}`;
  },
  redemption_cashback: ({ collection }) =>
    store`
      update cashbacks set state = 'reverted', reverted_at = now()
      where stamp_collection_id = ${collection} and state = 'pending'`,
  redemption_stamps: ({ ids }) =>
    store`update qualifying_purchases set redemption_id = null where transaction_id = ${ids[1] as string}`,
  redemption_order: ({ ids }) =>
    store`update transactions set settled_order = -1 where id = ${ids[0] as string}`,
  redemption_undone: ({ ids }) =>
    store`update qualifying_purchases set voided_at = null where transaction_id = ${ids[3] as string}`,
  cashback_transaction: ({ ids }) => store`delete from transactions where id = ${ids[1] as string}`,
  cashback_state: ({ ids }) =>
    store`
      update transactions set state = 'authorized', cleared_at = null where id = ${ids[1] as string}`,
  cashback_pending: async ({ ids, member }) => {
    await settle(store, member, ids[6] as string, "cleared");
    await store`update transactions set updated_at = now() - interval '61 minutes'`;
  },
  cashback_deal: ({ clips }) => store`
    insert into deals (id, revision, created_at, updated_at, name, reward_config, display_content)
    select deal_id, 1, now(), now(), 'Coffee', '{"type":"percent","percent":10,"max_amount":1}', '{}'
    from clips where id = ${clips[0]}`,
  cashback_once: ({ ids }) =>
    store`
      insert into cashbacks (amount, id, organisation_id, transaction_id, clip_id, deal_id, transaction_ref, state,
                             currency)
      select amount, gen_random_uuid(), organisation_id, transaction_id, gen_random_uuid(), deal_id, transaction_ref,
             'pending', currency
      from cashbacks where clip_id is not null and transaction_id = any(${ids}::uuid[]) limit 1`,
  cashback_settled: ({ ids }) => store`
    with paid as (
      update cashbacks set amount = 1000000
      where transaction_id = ${ids[1] as string} and redemption_id is not null and state = 'cleared'
      returning redemption_id, transaction_id
    )
    update qualifying_purchases q set reward_config = '{"type":"refund"}', purchase_amount = null
    from paid where q.transaction_id = paid.transaction_id and q.redemption_id = paid.redemption_id`,
  cashback_redemption: ({ collection }) =>
    store`delete from redemptions where stamp_collection_id = ${collection}`,
  clip_cashback: ({ clips }) => store`update clips set redeemed_at = now() where id = ${clips[1]}`,
  stamp_events: ({ ids }) => store`delete from events where transaction_id = ${ids[7] as string}`,
  cashback_events: ({ ids }) =>
    store`delete from events where transaction_id = ${ids[1] as string} and type = 'cashback.cleared'`,
};

t.test("verify - finds no fault in the engine's rows, and counts the rows that it checked", async (t) => {
  const { collection } = await makeRewards();
  t.strictSame(await verifyRewards(store), {
    checked: {
      stamp_collections: 1,
      qualifying_purchases: 8,
      redemptions: 4,
      cashbacks: 5,
      clips: 2,
      events: 19,
    },
    lagging: 0,
    faults: [],
  });
  const rows = await store`
    select state from cashbacks where stamp_collection_id = ${collection} order by created_at`;
  t.strictSame(
    rows.map(({ state }) => state),
    ["cleared", "reverted", "pending", "pending"],
  );
});

t.test("verify - a settlement that is on its way is no fault", async (t) => {
  await clear();
  const { member, ids } = await makeRewards();
  await settle(store, member, ids[7] as string, "reverted");
  await settle(store, member, ids[6] as string, "cleared");
  t.match(await verifyRewards(store), { lagging: 2, faults: [] });
});

for (const kind of Object.keys(DAMAGE) as RewardFaultKind[]) {
  t.test(`verify - ${kind}: ${REWARD_CHECKS[kind].holds}`, async (t) => {
    await clear();
    const made = await makeRewards();
    await DAMAGE[kind](made);
    const { faults } = await verifyRewards(store);
    const found = faults.filter((fault) => fault.kind === kind);
    t.ok(found.length > 0, JSON.stringify(faults));
    for (const { organisationId, detail } of found) {
      t.equal(organisationId, made.member.organisationId);
      t.ok(detail.length > 5, detail);
    }
  });
}

t.test("verify - holds only the snapshot of one piece, and handles concurrent changes", async (t) => {
  await clear();
  const { ids } = await makeRewards();
  let pieces = 0;
  const begin = async (mode: string, work: (sql: Transaction) => Promise<unknown>) => {
    // Between the walk of the stamps and that of the events.
    if (++pieces === 2) {
      await store`delete from events where transaction_id = ${ids[7] as string} and type = 'qualifying_purchase.created'`;
      await store`
        insert into events (id, organisation_id, type, at, transaction_id, body)
        select gen_random_uuid(), organisation_id, type, at, transaction_id, body from events
        where transaction_id = ${ids[1] as string} and type = 'cashback.cleared' limit 1`;
    }
    const open = await store`
      select from pg_stat_activity where datname = current_database() and backend_xmin is not null
        and pid <> pg_backend_pid()`;
    t.equal(open.length, 0, "nothing is open between pieces");
    return store.begin(mode, work);
  };
  const watched = Object.assign(explaining(store, []), { begin, close: () => store.close() }) as Store;
  const { faults } = await verifyRewards(watched);
  t.strictSame(
    faults.map(({ kind, id, detail }) => [kind, id, detail.replace(/ of .*: /, ": ")]),
    [
      ["stamp_events", ids[7], "qualifying_purchase.created: 1 stored, events tell of 0"],
      ["cashback_events", ids[1], "cashback.cleared: 1 stored, events tell of 2"],
    ],
  );
});

t.test("verify - events that were kept for their time and are gone are not missed", async (t) => {
  await clear();
  await makeRewards();
  await store`delete from events`;
  const madeAt = async (at: Date) => {
    await store`update qualifying_purchases set created_at = ${at}`;
    await store`update cashbacks set created_at = ${at}`;
  };
  await madeAt(new Date());
  t.ok((await verifyRewards(store)).faults.length > 0, "before that they are");
  await madeAt(new Date(Date.now() - LIMITS.eventKeptMs));
  t.strictSame((await verifyRewards(store)).faults, []);
});
