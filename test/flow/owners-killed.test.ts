import t from "tap";
import { verifyRewards } from "#publisher-db";
import { readMetric, type ServiceProcess, waitFor } from "#test-support";
import { CLEARED, FIXED, type Purchase, REFUND, RewardScene } from "./reward-scene.ts";

/**
 * The owners of OUTCOMES and SETTLEMENT are killed or frozen while they hold messages, and another process
 * stands by. `platform-matching.test.ts` does the same to the owner of PLATFORM_TX.
 */
t.setTimeout(400_000);
const PATIENT = { deadlineMs: 60_000 };

/** Messages of outcomes that a process has read but not finished. */
const held = (service: ServiceProcess) =>
  readMetric(service, "stampede_rewards_messages_held", 'hop="OUTCOMES"');

const owned = (service: ServiceProcess) => readMetric(service, "stampede_partitions_owned");

/** Waits until each owns one of the two partitions. */
async function shared(...processes: readonly ServiceProcess[]): Promise<void> {
  const isShared = async () => (await Promise.all(processes.map(owned))).every((number) => number === 1);
  await waitFor(isShared, { ...PATIENT, message: "they do not share the partitions" });
}

t.test("two processes of rewards, and then one", async (t) => {
  const scene = await RewardScene.open(t);
  const { store } = scene.pipeline;
  const standby = await scene.pipeline.start("rewards");
  await shared(scene.rewards, standby);

  await t.test("both on one hot member: every stamp counts once", async (t) => {
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
      [scene.rewards, standby].map(async (one) => {
        const { body } = await one.ops("/metrics");
        return /^stampede_rewards_outcomes_total\{[^}]*result="applied"[^}]*\} [1-9]/m.test(body);
      }),
    );
    t.strictSame(handled, [true, true], "both had some");
    t.match(await verifyRewards(store), { lagging: 0, faults: [] });
  });

  await t.test("one is killed -9 while it holds outcomes: the other applies them, each once", async (t) => {
    const member = await scene.member();
    const card = await scene.card(member, FIXED);
    const purchases: Purchase[] = [];
    for (let n = 0; n < 3; n++) purchases.push(...(await scene.buySix(member)));
    // Their transactions wait for this lock, so that both hold messages.
    await store.begin(async (sql) => {
      await sql`lock table qualifying_purchases in exclusive mode`;
      for (const purchase of purchases) await scene.link.send(scene.stamp(purchase, card));
      const areHeld = async () => (await held(scene.rewards)) > 0 && (await held(standby)) > 0;
      await waitFor(areHeld, { ...PATIENT, message: "no process holds them" });
      await scene.rewards.kill();
    });
    await waitFor(() => scene.link.isAtRest(), {
      ...PATIENT,
      message: "what the killed one held is not done",
    });
    t.equal(await owned(standby), 2);
    const refs = purchases.map(({ event }) => event.external_id).sort();
    const stamps = await store<{ ref: string }[]>`
      select transaction_ref as ref from qualifying_purchases where transaction_ref = any(${refs})`;
    t.strictSame(stamps.map(({ ref }) => ref).sort(), refs);
    const told = (await scene.bodies()).flatMap((event) =>
      event.type === "qualifying_purchase.created" && refs.includes(event.transaction_ref)
        ? [event.transaction_ref]
        : [],
    );
    t.strictSame(told.sort(), refs, "and each has one event");
    t.match(await verifyRewards(store), { lagging: 0, faults: [] });
  });

  await t.test(
    "killed -9 between the commit and the place: the next process recognises messages that come again",
    async (t) => {
      const member = await scene.member();
      const card = await scene.card(member, REFUND);
      const A = await scene.buy(member);
      const { before } = await store.begin(async (sql) => {
        // While these rows are locked no process writes a place.
        await sql`select from stream_places for update`;
        await scene.link.send(scene.stamp(A, card));
        await waitFor(async () => (await scene.cashbacks(member, { A })).length === 1, {
          message: "the outcome is not committed",
        });
        const before = await scene.everything();
        await standby.kill();
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
});

t.test("rewards frozen while it holds an outcome, taken over, and thawed: nothing is doubled", async (t) => {
  const scene = await RewardScene.open(t, { env: { STAMPEDE_PARTITIONS: "1" } });
  const { store } = scene.pipeline;
  const member = await scene.member();
  const card = await scene.card(member, FIXED);
  const purchases = await scene.buySix(member);
  const frozen = scene.rewards;
  frozen.child.kill("SIGSTOP");
  // The stream sends these to the frozen process: they lie in its socket.
  for (const purchase of purchases) await scene.link.send(scene.stamp(purchase, card));
  await store`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'stampede-rewards-locks' and datname = current_database()`;
  const heir = scene.with(await scene.pipeline.start("rewards"));
  await heir.rest();
  const before = await heir.everything();
  t.equal(await scene.counter(card), 0, "six stamps are three redemptions");
  frozen.child.kill("SIGCONT");
  await waitFor(() => frozen.output().includes("partition lost"), {
    ...PATIENT,
    message: "the frozen process does not notice",
  });
  await waitFor(async () => (await held(frozen)) === 0, {
    ...PATIENT,
    message: "it does not let go of them",
  });
  const [late] = await scene.buySix(member);
  await scene.link.send(scene.stamp(purchases[0], card));
  await heir.rest();
  t.strictSame(await heir.everything(), before, "the late work of the thawed process has changed nothing");
  await scene.link.send(scene.stamp(late, card));
  await heir.rest();
  t.equal(await scene.counter(card), 1, "and its purge has removed nothing");
  t.match(await verifyRewards(store), { lagging: 0, faults: [] });
});
