import { randomUUID } from "node:crypto";
import t from "tap";
import { encodeId } from "#domain";
import { verifyRewards } from "#publisher-db";
import { readMetric, readStream, waitFor } from "#test-support";
import { CLEARED, FIXED, REFUND, REVERTED, RewardScene } from "./reward-scene.ts";

t.setTimeout(400_000);

t.test("stamps, redemptions and cashbacks follow outcomes and settlements", async (t) => {
  const scene = await RewardScene.open(t);

  await t.test("n becomes n + 1; at the threshold the reward comes and a new cycle starts", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    const C = await scene.buy(member);
    await scene.stampAll(card, A);
    t.equal(await scene.counter(card), 1);
    t.strictSame(await scene.cashbacks(member, { A, B, C }), []);
    await scene.stampAll(card, B);
    t.equal(await scene.counter(card), 0);
    await scene.stampAll(card, C);
    t.equal(await scene.counter(card), 1);
    t.strictSame(await scene.cashbacks(member, { A, B, C }), ["B 300 EUR pending"]);
    t.strictSame(await scene.events({ A, B, C }), [
      "qualifying_purchase.created A 1",
      "qualifying_purchase.created B 2",
      "cashback.created B 300 EUR",
      "qualifying_purchase.created C 1",
    ]);
    const { rewards } = await scene.must("transaction/get", { external_id: B.event.external_id });
    const [created] = (await scene.bodies()).flatMap((event) =>
      event.type === "cashback.created" && event.transaction_id === B.id ? [event] : [],
    );
    t.match(created, { source: { type: "loyalty-program-redemption", stamp_collection_id: card } });
    t.match(rewards, [{ state: "pending", amount: 300, currency: "EUR", source: created?.source }]);
    t.equal(rewards[0].id, created?.cashback_id);
    t.match(await scene.must("transaction/get", { external_id: A.event.external_id }), { rewards: [] });
  });

  await t.test("authorized to cleared: the matched cashback settles", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    await scene.stampAll(card, A, B);
    await scene.change(A, CLEARED);
    await scene.rest();
    t.strictSame(await scene.cashbacks(member, { A, B }), ["B 300 EUR pending"], "it waits for B");
    await scene.change(B, CLEARED);
    await scene.change(B, CLEARED);
    await scene.rest();
    t.strictSame(await scene.cashbacks(member, { A, B }), ["B 300 EUR cleared"]);
    t.equal((await scene.events({ A, B })).at(-1), "cashback.cleared B 300 EUR");
    t.equal((await scene.events({ A, B })).length, 4);
    const { rewards } = await scene.must("transaction/get", { external_id: B.event.external_id });
    t.ok(rewards[0].cleared_at >= rewards[0].created_at);
  });

  await t.test("authorized to reverted: the stamp is voided, its pending redemption undone", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    const C = await scene.buy(member);
    await scene.stampAll(card, A, B, C);
    await scene.change(A, REVERTED);
    await scene.rest();
    t.strictSame((await scene.events({ A, B, C })).slice(4), [
      "qualifying_purchase.voided A 1",
      "cashback.reverted B 300 EUR",
      "qualifying_purchase.unredeemed B 2",
      "cashback.created C 300 EUR",
    ]);
    t.strictSame(await scene.cashbacks(member, { A, B, C }), ["B 300 EUR reverted", "C 300 EUR pending"]);
    t.equal(await scene.counter(card), 0);
    await scene.change(C, REVERTED);
    await scene.rest();
    t.equal(await scene.counter(card), 1, "B counts again");
    await scene.change(B, REVERTED);
    await scene.rest();
    t.equal(await scene.counter(card), 0);
    t.equal((await scene.events({ A, B, C })).at(-1), "qualifying_purchase.voided B 0");
  });

  await t.test("cleared to reverted is refused, and a paid reward stays paid", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    await scene.stampAll(card, A, B);
    await scene.change(B, CLEARED);
    await scene.rest();
    const refused = await scene.client.ingest([{ ...B.event, ...REVERTED }]);
    t.match(refused, { status: 409, body: { error: { data: { reason: "invalid_transition" } } } });
    await scene.change(A, REVERTED);
    await scene.rest();
    t.strictSame((await scene.events({ A, B })).slice(3), [
      "cashback.cleared B 300 EUR",
      "qualifying_purchase.voided A 0",
    ]);
    t.strictSame(await scene.cashbacks(member, { A, B }), ["B 300 EUR cleared"], "the redemption stands");
    t.equal(await scene.counter(card), 0);
  });

  await t.test("new and cleared at once: created and cleared, in that order", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, REFUND);
    const A = await scene.buy(member, CLEARED);
    await scene.stampAll(card, A);
    t.strictSame(await scene.events({ A }), [
      "qualifying_purchase.created A 1",
      "cashback.created A 450 EUR",
      "cashback.cleared A 450 EUR",
    ]);
    t.strictSame(await scene.cashbacks(member, { A }), ["A 450 EUR cleared"]);
  });

  await t.test("new and reverted at once, or reverted before the outcome: nothing", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, REFUND);
    const clip = await scene.clip(member, await scene.offer());
    const A = await scene.buy(member, REVERTED);
    const B = await scene.buy(member);
    await scene.change(B, REVERTED);
    const ignored = await scene.count("transaction_reverted");
    await scene.stampAll(card, A, B);
    await scene.link.send(scene.deal(A, clip));
    await scene.rest();
    t.strictSame(await scene.events({ A, B }), []);
    t.equal(await scene.counter(card), 0);
    t.equal(await scene.count("transaction_reverted"), ignored + 3);
    const refused = await scene.client.ingest([{ ...B.event, ...CLEARED }]);
    t.match(refused, { status: 409, body: { error: { data: { reason: "invalid_transition" } } } });
  });

  await t.test("a clip is redeemed once, by the first purchase that qualifies", async (t) => {
    const member = await scene.member();
    const deal = await scene.offer();
    const clip = await scene.clip(member, deal);
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    await scene.link.send(scene.deal(A, clip), scene.deal(B, clip, 999), scene.deal(A, clip));
    await scene.rest();
    t.strictSame(await scene.cashbacks(member, { A, B }), ["A 120 SEK pending"]);
    const { data } = await scene.must("wallet.clip/list", { member_id: member });
    t.match(data, [{ id: clip, redeemed_at: /Z$/ }]);
    t.match((await scene.bodies()).at(-1), { source: { type: "clip", clip_id: clip, deal_id: deal } });
    const again = await scene.clip(member, deal);
    t.not(again, clip, "it can be clipped again");
    await scene.link.send(scene.deal(B, again, 7));
    await scene.change(A, REVERTED);
    await scene.change(B, CLEARED);
    await scene.rest();
    const cashbacks = await scene.cashbacks(member, { A, B });
    t.strictSame(cashbacks, ["A 120 SEK reverted", "B 7 SEK cleared"]);
    await scene.link.send(scene.deal(A, clip));
    await scene.rest();
    t.strictSame(await scene.cashbacks(member, { A, B }), cashbacks);
  });

  await t.test(
    "a refund without an amount is redeemed, and reported when a later event supplies the amount",
    async (t) => {
      const member = await scene.member();
      const card = await scene.card(member, REFUND);
      const event = { amount: undefined, currency: undefined } as never;
      const A = await scene.buy(member, event);
      const B = await scene.buy(member, event);
      const C = await scene.buy(member, event);
      await scene.stampAll(card, A);
      t.equal(await scene.counter(card), 0, "the redemption holds its stamp");
      t.strictSame(await scene.cashbacks(member, { A }), [], "its cashback waits");
      await scene.change(A, { amount: 777, currency: "SEK" });
      await scene.rest();
      t.strictSame(await scene.cashbacks(member, { A }), ["A 777 SEK pending"]);
      await scene.link.send(scene.stamp(B, card, { purchase_amount: 5, currency: "NOK" }));
      await scene.rest();
      await scene.stampAll(card, C);
      await scene.change(C, { ...CLEARED, amount: 1, currency: "EUR" });
      await scene.rest();
      t.strictSame(await scene.cashbacks(member, { A, B, C }), [
        "A 777 SEK pending",
        "B 5 NOK pending",
        "C 1 EUR cleared",
      ]);
      t.equal(await scene.counter(card), 0);
    },
  );

  await t.test(
    "a lowered threshold applies at the next stamp; a removed program redeems nothing",
    async (t) => {
      const member = await scene.member();
      const program = await scene.link.configure({ ...FIXED, qualifying_threshold: 5 });
      await scene.rest();
      const card = await scene.enrol(member, program);
      const [A, B, C, D, E, F] = await scene.buySix(member);
      await scene.stampAll(card, A, B, C);
      await scene.link.configure({ ...FIXED, qualifying_threshold: 2 }, program);
      await scene.rest();
      t.equal(await scene.counter(card), 3);
      await scene.stampAll(card, D);
      t.strictSame(await scene.cashbacks(member, { B, D }), ["B 300 EUR pending", "D 300 EUR pending"]);
      await scene.link.configure(null, program);
      await scene.rest();
      await scene.stampAll(card, E, F);
      t.equal(await scene.counter(card), 2, "stamps are still made");
    },
  );

  await t.test("redelivered messages, in any order and number, change nothing", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const clip = await scene.clip(member, await scene.offer());
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    await scene.stampAll(card, A, B);
    await scene.link.send(scene.deal(B, clip));
    await scene.change(A, REVERTED);
    await scene.change(B, CLEARED);
    await scene.rest();
    const before = await scene.everything();
    const all = [scene.deal(B, clip), scene.stamp(B, card), scene.stamp(A, card)];
    await scene.link.send(...all, ...all.reverse());
    for (const outcome of all) await scene.link.send(outcome);
    await scene.settleAgain(A, B, A);
    await scene.rest();
    t.strictSame(await scene.everything(), before);
  });

  await t.test(
    "outcomes with ids of another form are counted and skipped, and none becomes a dead letter",
    async (t) => {
      const member = await scene.member();
      const card = await scene.card(member, FIXED);
      const clip = await scene.clip(member, await scene.offer());
      const A = await scene.buy(member);
      const before = {
        targets: await scene.count("unknown_target"),
        txs: await scene.count("unknown_transaction"),
      };
      const unknown = { ...A, id: encodeId("tx", randomUUID()) };
      await scene.link.send(
        scene.stamp(A, encodeId("sc", randomUUID())),
        scene.stamp(A, "sc_of somebody else"),
        scene.deal(A, encodeId("clip", randomUUID())),
        scene.stamp(unknown, card),
        scene.deal({ ...A, id: "" }, clip),
        scene.stamp(A, card),
      );
      await scene.rest();
      t.strictSame(await scene.events({ A }), ["qualifying_purchase.created A 1"]);
      t.equal(await scene.count("unknown_target"), before.targets + 3);
      t.equal(await scene.count("unknown_transaction"), before.txs + 2);
      t.strictSame(await readStream(scene.pipeline, "DEAD"), []);
    },
  );

  await t.test("an outcome never crosses from one member or organisation to another", async (t) => {
    const other = await scene.asAnother();
    const [mine, neighbours, theirs] = [await scene.member(), await scene.member(), await other.member()];
    const program = await scene.link.configure({ ...REFUND });
    await scene.rest();
    const cards = [await scene.enrol(neighbours, program), await other.enrol(theirs, program)];
    const own = await scene.enrol(mine, program);
    const A = await scene.buy(mine);
    // The transaction is loaded for its own card, and must not serve the others of the batch.
    await scene.link.send(...cards.map((card) => scene.stamp(A, card)), scene.stamp(A, own));
    await scene.rest();
    t.strictSame(await scene.cashbacks(mine, { A }), ["A 450 EUR pending"]);
    t.strictSame(await scene.cashbacks(neighbours, { A }), []);
    t.strictSame(await other.cashbacks(theirs, { A }), []);
    t.strictSame([await scene.counter(cards[0] as string), await other.counter(cards[1] as string)], [0, 0]);
    const rows = await scene.pipeline.store<{ organisationId: string }[]>`
      select distinct organisation_id as "organisationId" from events`;
    t.strictSame(
      rows.map((row) => row.organisationId),
      [scene.pipeline.publisher.organisationId],
    );
  });
});

t.test("two processes on one hot member: every stamp counts once", async (t) => {
  const scene = await RewardScene.open(t);
  const second = await scene.pipeline.start("rewards");
  await waitFor(async () => (await readMetric(second, "stampede_partitions_owned")) > 0, {
    message: "the second process owns no partition",
  });
  const member = await scene.member();
  const card = await scene.card(member, { ...FIXED, qualifying_threshold: 3 });
  const clip = await scene.clip(member, await scene.offer());
  const bought = await Promise.all(Array.from({ length: 100 }, () => scene.buy(member)));
  const outcomes = bought.flatMap((purchase) => [scene.stamp(purchase, card), scene.deal(purchase, clip)]);
  // Each message twice, in messages of many sizes.
  const all = [...outcomes, ...outcomes.toReversed()];
  const sends: Promise<void>[] = [];
  for (let at = 0, size = 1; at < all.length; at += size, size = (size % 9) + 1) {
    sends.push(scene.link.send(...all.slice(at, at + size)));
  }
  const clearings = bought.map((purchase) => scene.change(purchase, CLEARED));
  await Promise.all([...sends, ...clearings]);
  await scene.rest();

  t.equal(await scene.counter(card), 1);
  const { data } = await scene.must("wallet.cashback/list", { member_id: member });
  t.equal(data.length, 34);
  t.ok(data.every((cashback: { state: string }) => cashback.state === "cleared"));
  const events = await scene.bodies();
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  t.strictSame(Object.fromEntries(counts), {
    "qualifying_purchase.created": 100,
    "cashback.created": 34,
    "cashback.cleared": 34,
  });
  const counters = events.flatMap((event) =>
    event.type === "qualifying_purchase.created" ? [event.unredeemed_purchases] : [],
  );
  t.strictSame(
    counters,
    counters.map((_, i) => (i % 3) + 1),
    "in the order of the table the counter goes 1, 2, 3, 1, …",
  );
  t.equal(new Set(events.map((event) => event.event_id)).size, events.length);
  const handled = await Promise.all(
    [scene.rewards, second].map(async (one) => {
      const { body } = await one.ops("/metrics");
      return /^stampede_rewards_outcomes_total\{[^}]*result="applied"[^}]*\} [1-9]/m.test(body);
    }),
  );
  t.strictSame(handled, [true, true], "both had some");
  t.match(await verifyRewards(scene.pipeline.store), { lagging: 0, faults: [] });
});

t.test(
  "rewards killed -9 between the commit and the place: the next process recognises messages that come again",
  async (t) => {
    const scene = await RewardScene.open(t);
    const member = await scene.member();
    const card = await scene.card(member, REFUND);
    const A = await scene.buy(member);
    const { store } = scene.pipeline;
    const { before } = await store.begin(async (sql) => {
      // While these rows are locked no process writes a place.
      await sql`select from stream_places for update`;
      await scene.link.send(scene.stamp(A, card));
      await waitFor(async () => (await scene.cashbacks(member, { A })).length === 1, {
        message: "the outcome is not committed",
      });
      const before = await scene.everything();
      await scene.rewards.kill();
      // A statement that waits for the lock would still write it.
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'stampede-rewards%'`;
      return { before };
    });
    const heir = scene.with(await scene.pipeline.start("rewards"));
    await heir.rest();
    t.equal(await heir.count("already_stamped"), 1);
    t.strictSame(await heir.everything(), before);
  },
);

t.test(
  "a member deleted while its purchase clears: a purchase that was accepted before still earns its reward",
  async (t) => {
    const scene = await RewardScene.open(t);
    const { id: base } = await scene.must("member-base/create", { name: "leaving" });
    const request = { member_base_id: base, members: [{ ref: "leaver" }] };
    const [member] = await scene.must("member/bulk-upsert", request);
    const card = await scene.card(member, REFUND);
    const clip = await scene.clip(member, await scene.offer());
    const A = await scene.buy(member);
    const B = await scene.buy(member);
    await scene.link.send(scene.stamp(A, card), scene.deal(A, clip));
    await scene.rest();
    await scene.rewards.stop();
    await scene.change(A, CLEARED);
    await scene.link.send(scene.stamp(B, card));
    await scene.must("member/bulk-delete", { member_base_id: base, member_ids: [member] });
    const heir = scene.with(await scene.pipeline.start("rewards"));
    await heir.rest();
    t.strictSame((await heir.events({ A, B })).sort(), [
      "cashback.cleared A 120 SEK",
      "cashback.cleared A 450 EUR",
      "cashback.created A 120 SEK",
      "cashback.created A 450 EUR",
      "cashback.created B 450 EUR",
      "qualifying_purchase.created A 1",
      "qualifying_purchase.created B 1",
    ]);
  },
);
