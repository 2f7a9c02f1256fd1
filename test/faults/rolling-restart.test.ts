import t from "tap";
import { SeededRandom } from "#domain";
import { verifyRewards } from "#publisher-db";
import type { ServiceName } from "#test-support";
import { RollingScene, SERVICES } from "./rolling-scene.ts";

/**
 * A rolling restart of everything under load, by SIGTERM, one process after the other: no client sees a
 * connection reset, and no accepted event is lost or counted twice. Each round restarts all ten processes. A
 * run without `ROUNDS` restarts seven: only one of two that do not differ. `FAULT_SEED` repeats its plan (not
 * its timing).
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 1);
/** Services with an API: their two processes use different adapters. */
const WITH_ADAPTERS: readonly ServiceName[] = ["edge", "platform"];
/** Answers that show that work goes on after a restart. */
const ANSWERS_BETWEEN = 10;
const PATIENCE_MS = 60_000;

t.setTimeout(240_000 + ROUNDS * 180_000);

t.test(`rolling restart: no reset, nothing lost, nothing twice (seed ${SEED})`, async (t) => {
  const random = new SeededRandom(SEED);
  const scene = await RollingScene.open(t);
  await scene.call(SEED);
  await scene.world.progress(ANSWERS_BETWEEN, PATIENCE_MS);
  for (let round = 0; round < ROUNDS; round++) {
    const slotsOf = (service: ServiceName) =>
      process.env.ROUNDS !== undefined || WITH_ADAPTERS.includes(service) ? [0, 1] : [random.between(0, 1)];
    const plan = random.shuffle(
      SERVICES.flatMap((service) => slotsOf(service).map((slot) => ({ service, slot }))),
    );
    for (const { service, slot } of plan) {
      const first = random.pick(["start", "stop"] as const);
      await scene.restart(service, slot, first);
      t.pass(`${service} ${slot}: ${first} first`);
      await scene.world.progress(ANSWERS_BETWEEN, PATIENCE_MS);
    }
  }
  await scene.stopCalling();

  const failures = scene.routes.flatMap((route) => route.failures);
  t.strictSame(
    failures.slice(0, 10),
    [],
    "no client saw a reset, or an answer that the contract does not know",
  );
  const faults5xx = Object.keys(scene.statuses).filter((status) => Number(status) >= 500);
  t.strictSame(faults5xx, [], "no 5xx");
  t.strictSame(
    scene.exits.filter(({ code }) => code !== 0),
    [],
    "every process ended by itself, in time",
  );
  await scene.settles();
  const { pipeline, world } = scene;
  t.strictSame(await world.faults(), []);
  t.strictSame(await scene.webhookProblems(), [], "the webhook got every event, in order");
  t.equal(scene.repeated, 0, "and nothing twice");
  t.strictSame(await scene.paidWithoutStamp(), []);
  const { lagging, faults } = await verifyRewards(pipeline.store);
  t.strictSame({ lagging, faults }, { lagging: 0, faults: [] });
  t.ok(scene.paid > 0 && world.book.answers > 0, "there was load");
  t.comment(scene.exits.map(({ service, drainMs }) => `${service} drained in ${drainMs} ms`));
  t.comment({
    transactions: world.book.entries.size,
    statuses: scene.statuses,
    answers: scene.answers,
    paid: scene.paid,
    refusals: scene.routes.reduce((sum, route) => sum + route.refusals, 0),
  });
});
