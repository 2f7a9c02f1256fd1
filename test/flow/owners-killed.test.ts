import t from "tap";
import { verifyRewards } from "#publisher-db";
import { readMetric, type ServiceProcess, waitFor } from "#test-support";
import { FIXED, type Purchase, RewardScene } from "./reward-scene.ts";

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

t.test("rewards killed -9 while it holds outcomes: the other process applies them, each once", async (t) => {
  const scene = await RewardScene.open(t);
  const { store } = scene.pipeline;
  const standby = await scene.pipeline.start("rewards");
  await shared(scene.rewards, standby);
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
  await waitFor(() => scene.link.isAtRest(), { ...PATIENT, message: "what the killed one held is not done" });
  t.equal(await owned(standby), 2);
  const stamps = await store<{ ref: string }[]>`select transaction_ref as ref from qualifying_purchases`;
  t.strictSame(stamps.map(({ ref }) => ref).sort(), purchases.map(({ event }) => event.external_id).sort());
  const [{ created }] = await store<[{ created: number }]>`
    select count(*)::int as created from events where type = 'qualifying_purchase.created'`;
  t.equal(created, purchases.length, "and each has one event");
  t.match(await verifyRewards(store), { lagging: 0, faults: [] });
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
