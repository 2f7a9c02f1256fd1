import t from "tap";
import { uuidv7 } from "uuidv7";
import { encodeId } from "#domain";
import { connectStream } from "#nats";
import { closeStore, connectStore } from "#postgres";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, type TestMember, testServers } from "#test-support";
import { createOutcomeHandler, createSettlementHandler } from "./handle-rewards.ts";
import { createRewardMetrics } from "./metrics.ts";
import { retryCandidates } from "./retry-outcomes.ts";
import { settle, testClip, testMembers, testTransactions } from "./store/test-batch.ts";
import { idOf } from "./test-decisions.ts";

const OUTCOME = {
  outcome_id: "out_1",
  transaction_id: encodeId("tx", idOf("transaction")),
  type: "qualifying_purchase",
  stamp_collection_id: encodeId("sc", idOf("card")),
};
const dealOutcome = (transactionId: string, clipId: string) => ({
  outcome_id: "out_1",
  transaction_id: encodeId("tx", transactionId),
  type: "deal",
  clip_id: encodeId("clip", clipId),
  amount: 100,
  currency: "EUR",
});
const SETTLEMENT = { transaction: idOf("transaction"), organisation: idOf("organisation"), state: "cleared" };

async function setUp() {
  const servers = await testServers();
  const store = connectStore({ url: await servers.databaseUrl(), max: 2, applicationName: "test" });
  const log = createLog({ service: "test", level: "fatal" });
  // There are no streams under this prefix, so that no dead letter can be stored.
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  const registry = createRegistry("test", "0");
  const metrics = createRewardMetrics(new MetricFactory(registry));
  const now = () => new Date();
  const outcomes = createOutcomeHandler({ store, stream, metrics: metrics.outcomes, now, log });
  const settlements = createSettlementHandler({ store, stream, metrics: metrics.settlements, now, log });
  const count = async (metric: string, label: string) => {
    const lines = (await registry.getSingleMetricAsString(metric)).split("\n");
    return Number(
      lines
        .find((line) => line.includes(label))
        ?.split(" ")
        .at(-1),
    );
  };
  return { store, stream, outcomes, settlements, count };
}

const messages = (...payloads: unknown[]) =>
  payloads.map((payload, i) => ({
    subject: "test",
    partition: 0,
    storedAtMs: 0,
    sequence: i + 1,
    data: Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
    rows: 1,
    traceIds: "",
    traceparent: "",
  }));
const outcomesOf = (...outcomes: unknown[]) => ({ v: 1, outcomes });

t.test("handlers of outcomes and settlements", async (t) => {
  const { store, stream, outcomes, settlements, count } = await setUp();
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });

  await t.test("every result is counted from the start", async (t) => {
    for (const result of ["applied", "already_stamped", "already_redeemed", "invalid", "refused"]) {
      t.equal(await count("stampede_rewards_outcomes_total", `result="${result}"`), 0);
    }
    t.equal(await count("stampede_rewards_settlements_total", 'result="changed"'), 0);
  });

  await t.test("each message of a batch has its own outcome", async (t) => {
    const batch = messages(outcomesOf(OUTCOME), "{", { v: 2 }, outcomesOf(OUTCOME, OUTCOME));
    t.strictSame((await outcomes(batch)).results, [
      { kind: "done" },
      { kind: "dead", reason: "unreadable_message" },
      { kind: "dead", reason: "invalid_message" },
      { kind: "done" },
    ]);
    t.equal(await count("stampede_rewards_outcomes_total", 'result="unknown_target"'), 3);
    const { results: settled } = await settlements(messages({ v: 1, settlements: [SETTLEMENT] }, "{"));
    t.strictSame(settled, [{ kind: "done" }, { kind: "dead", reason: "unreadable_message" }]);
    t.equal(await count("stampede_rewards_settlements_total", 'result="unchanged"'), 1);
  });

  await t.test("a fault of the database is thrown, to be tried again, and nothing is counted", async (t) => {
    await store`alter table qualifying_purchases rename to elsewhere`;
    await t.rejects(settlements(messages({ v: 1, settlements: [SETTLEMENT] })), { code: "42P01" });
    await store`alter table elsewhere rename to qualifying_purchases`;
    await store`alter table stamp_collections rename to elsewhere`;
    await t.rejects(outcomes(messages(outcomesOf(OUTCOME))), { code: "42P01" });
    await store`alter table elsewhere rename to stamp_collections`;
    t.equal(await count("stampede_rewards_outcomes_total", 'result="unknown_target"'), 3);
    t.equal(await count("stampede_rewards_settlements_total", 'result="unchanged"'), 1);
  });

  await t.test("a message is not done before the letter of its wrong outcome is stored", async (t) => {
    const batch = messages(outcomesOf(OUTCOME, { ...OUTCOME, transaction_id: 7 }));
    await t.rejects(outcomes(batch), { code: "publish_failed" });
    t.equal(await count("stampede_rewards_outcomes_total", 'result="invalid"'), 0);
  });

  await t.test(
    "regression - a purchase that found its clip redeemed never got it, even after the redeeming purchase was reverted",
    async (t) => {
      const [member] = (await testMembers(store, 1)) as [TestMember];
      const clip = await testClip(store, member);
      await store`update clips set created_at = '2000-01-01' where id = ${clip}`;
      const ids = (await testTransactions(store, member, 4)) as [string, string, string, string];
      const [first, older, newer, reverted] = ids;
      const tell = async (...told: string[]) => {
        const { results } = await outcomes(messages(outcomesOf(...told.map((id) => dealOutcome(id, clip)))));
        t.strictSame(results, [{ kind: "done" }]);
      };
      const redeemers = async () => {
        const rows = await store<{ id: string; state: string }[]>`
          select transaction_id as id, state from cashbacks where clip_id = ${clip} and state <> 'reverted'`;
        return rows.map(({ id }) => id);
      };
      const candidates = async () => (await store`select from deal_candidates`).length;
      const retry = () => retryCandidates(store, outcomes);
      const settleAs = async (id: string, state: "cleared" | "reverted") => {
        await settle(store, member, id, state);
        const settlement = { transaction: id, organisation: member.organisationId, state };
        await settlements(messages({ v: 1, settlements: [settlement] }));
      };
      await tell(first);
      await tell(newer, older, reverted);
      await tell(newer);
      t.strictSame([await redeemers(), await candidates()], [[first], 3]);
      await retry();
      t.strictSame([await redeemers(), await candidates()], [[first], 3], "the clip is not open");
      await settleAs(reverted, "reverted");
      await settleAs(first, "reverted");
      t.strictSame(await redeemers(), []);
      // The newest purchase was reverted itself, so it takes one round more.
      for (let round = 0; round < 3; round++) await retry();
      t.strictSame([await redeemers(), await candidates()], [[newer], 1]);
      await settleAs(newer, "cleared");
      await retry();
      t.strictSame([await redeemers(), await candidates()], [[newer], 1], "used up");
      const again = uuidv7();
      await store`
        insert into clips (id, organisation_id, member_id, deal_id, created_at)
        select ${again}, organisation_id, member_id, deal_id, created_at from clips where id = ${clip}`;
      await retry();
      const redeemed =
        await store`select from cashbacks where clip_id = ${again} and transaction_id = ${older}`;
      t.strictSame([redeemed.length, await candidates()], [1, 0], "the deal was saved again");
    },
  );

  await t.test(
    "regression - a candidate was dropped untried where the clip was redeemed and opened again meanwhile",
    async (t) => {
      const [member] = (await testMembers(store, 1)) as [TestMember];
      const clip = await testClip(store, member);
      await store`update clips set created_at = '2000-01-01' where id = ${clip}`;
      const [first, second, waiting] = (await testTransactions(store, member, 3)) as [string, string, string];
      const tell = (id: string) => outcomes(messages(outcomesOf(dealOutcome(id, clip))));
      const revert = async (id: string) => {
        await settle(store, member, id, "reverted");
        const settlement = { transaction: id, organisation: member.organisationId, state: "reverted" };
        await settlements(messages({ v: 1, settlements: [settlement] }));
      };
      await tell(first);
      await tell(waiting);
      await revert(first);
      await retryCandidates(store, async (tried) => {
        await tell(second);
        const handled = await outcomes(tried);
        await revert(second);
        return handled;
      });
      await retryCandidates(store, outcomes);
      const redeemed = await store<{ id: string }[]>`
        select transaction_id as id from cashbacks where clip_id = ${clip} and state <> 'reverted'`;
      t.strictSame([...redeemed], [{ id: waiting }]);
    },
  );
});
