import t from "tap";
import { uuidv7 } from "uuidv7";
import { SeededRandom } from "#domain";
import { deleteMembers, verifyRewards } from "#publisher-db";
import { type TestMember, testStore } from "#test-support";
import {
  contextAt,
  dealOf,
  ingest,
  purchase,
  testClip,
  testCollection,
  testMembers,
  testProgramOf,
  writeOutcomes,
  writeSettlements,
} from "../../../rewards/src/store/test-batch.ts";
import { withOpenTransactions } from "../../../rewards/src/store/transactions.ts";
import { forgetMembers } from "./forget-members.ts";
import { removeSettled } from "./remove-settled.ts";

/**
 * Runs retention together with ingestion, rewards and deletions, all at full speed on the same few members; a
 * transaction at rest is removed immediately. Expects no deadlock, and the same count of every stamp as
 * without retention. `RACE_SECONDS` makes it longer, `FC_SEED` repeats its plan (not its timing).
 */
const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);
const SECONDS = Number(process.env.RACE_SECONDS ?? 3);
const MEMBERS = 6;
const THRESHOLD = 3;
/**
 * Runs until this many purchases were made and removed, however slow the machine: fewer would prove nothing.
 */
const BOUGHT_AT_LEAST = 200;
const LEFT_AT_LEAST = 50;
const LATER = "2100-01-01T00:00:00Z";

t.setTimeout(400_000 + SECONDS * 2000);

t.test(`retention - under concurrent load nothing is lost or counted twice (FC_SEED=${SEED})`, async (t) => {
  const store = await testStore(12);
  const random = new SeededRandom(SEED);
  const members = await testMembers(store, MEMBERS + 20);
  const program = await testProgramOf(store, THRESHOLD, 50);
  const shoppers = await Promise.all(
    members.slice(0, MEMBERS).map(async (member) => ({
      member,
      card: await testCollection(store, member, program),
    })),
  );
  const leavers = members.slice(MEMBERS);
  const endAt = performance.now() + SECONDS * 1000;
  let bought = 0;
  let left = 0;
  const isOver = () => performance.now() >= endAt && bought >= BOUGHT_AT_LEAST && left >= LEFT_AT_LEAST;
  let at = 0;
  const outcomes = (...batch: Parameters<typeof writeOutcomes>[1]) =>
    withOpenTransactions(store, (sql, awaited) => writeOutcomes(sql, batch, contextAt(++at), awaited));
  const settled = ({ organisationId }: TestMember, ids: readonly string[]) =>
    withOpenTransactions(store, (sql, awaited) =>
      writeSettlements(sql, organisationId, ids, contextAt(++at), awaited),
    );

  /** Some purchases of a member. Most clear, and their outcomes come before or after that, more than once. */
  const shop = async () => {
    while (!isOver()) {
      const { member, card } = random.pick(shoppers);
      const ids = Array.from({ length: random.between(1, 4) }, () => uuidv7());
      const events = ids.map((id) => ({ id, ref: `ref ${id}`, amount: 1000, currency: "EUR" }));
      await ingest(store, member, events);
      const batch = ids.map((id) => purchase(id, card));
      if (random.chance(0.5)) await outcomes(...batch);
      await ingest(
        store,
        member,
        events.map((event) => ({ ...event, state: "cleared" as const })),
      );
      await settled(member, ids);
      await outcomes(...batch);
      await settled(member, ids);
      bought += ids.length;
    }
  };
  const retain = async () => {
    while (!isOver()) {
      const { rows } = await store.begin((sql) => removeSettled(sql, { from: 0, to: 1_000_000 }, LATER));
      left += rows.transactions;
    }
  };
  const forget = async () => {
    for (const member of leavers) {
      if (isOver()) return;
      const card = await testCollection(store, member, program);
      const clip = await testClip(store, member);
      const ids = Array.from({ length: 4 }, () => uuidv7());
      const events = ids.map((id) => ({ id, ref: `ref ${id}`, amount: 1000, currency: "EUR" }));
      await ingest(store, member, events);
      await outcomes(...ids.map((id) => purchase(id, card)), dealOf(ids[0] as string, clip));
      await ingest(
        store,
        member,
        events.map((event) => ({ ...event, state: "cleared" as const })),
      );
      await settled(member, ids);
      const { organisationId, memberbaseId, memberId } = member;
      await deleteMembers(store, { organisationId, memberbaseId, which: { ids: [memberId] } });
      await store`update deleted_members set changed_at = now() - interval '62 days', due_at = now()`;
      await store`
        update transactions set updated_at = now() - interval '62 days'
        where id in (select id from transactions where member_id = ${memberId} for update skip locked)`;
      await forgetMembers(store);
    }
  };
  await Promise.all([shop(), shop(), shop(), retain(), forget()]);

  t.comment(`${bought} were bought, and ${left} have left`);
  let redeemed = 0;
  for (const { card } of shoppers) {
    const told = await store<{ type: string }[]>`
      select type from events where body::json->>'stampCollectionId' = ${card}
        or body::json->'source'->>'stampCollectionId' = ${card}`;
    const count = (type: string) => told.filter((event) => event.type === type).length;
    const stamps = count("qualifying_purchase.created");
    const [row] = await store<{ counter: number; pending: number }[]>`
      select unredeemed_purchases as counter, cardinality(pending_redemptions) as pending
      from stamp_collections where id = ${card}`;
    t.equal(row?.counter, stamps % THRESHOLD, `${stamps} stamps`);
    t.equal(count("cashback.created"), Math.floor(stamps / THRESHOLD));
    t.equal(count("cashback.created") - count("cashback.cleared"), row?.pending);
    redeemed += count("cashback.created");
  }
  t.ok(redeemed > 10, `${redeemed} redemptions`);
  await store`update transaction_retention set forgotten_before = ${LATER}::text::timestamptz`;
  const { faults } = await verifyRewards(store);
  t.strictSame(
    faults.filter(({ kind }) => !kind.endsWith("_events")),
    [],
  );
});
