import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { SeededRandom } from "#domain";
import { WebhookAudit } from "#test-support";
import { FAULTS, RECOVERY_MS, WebhookScene } from "./webhook-scene.ts";

/**
 * The test kills, cuts or freezes everything that delivery depends on, while events are written and their
 * receiver fails now and then: in `npm run test:long`. `FAULT_KILLS` makes it longer, `FAULT_SEED` repeats
 * its plan (not its timing). `npm test` and `.ci/run` run the dispatcher's seeds in one process
 * (`dispatcher.test.ts`).
 */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const KILLS = Number(process.env.FAULT_KILLS ?? (process.env.TEST_LONG === undefined ? FAULTS.length : 60));

const PEACE_MS = { least: 200, most: 1_500 };

t.setTimeout(300_000 + KILLS * RECOVERY_MS);

t.test(`outages of all kinds: every webhook gets every event, in order (seed ${SEED})`, async (t) => {
  const random = new SeededRandom(SEED);
  // Every kind once at least, in an order that the seed gives.
  const plan = random.shuffle(Array.from({ length: KILLS }, (_, i) => FAULTS[i] ?? random.pick(FAULTS)));
  const scene = await WebhookScene.open(t, SEED);
  const writing = scene.write();
  for (const fault of plan) {
    await delay(random.between(PEACE_MS.least, PEACE_MS.most));
    await scene.strike(fault);
    t.pass(fault);
  }
  await scene.stopWriting(writing);
  await scene.whenAllAreTold("the outages are over");
  await scene.settles();

  t.strictSame(scene.died(), [], "no process ended by itself");
  t.strictSame((await scene.problems()).slice(0, 10), []);
  t.comment(scene.counts);
});

t.test("the audit finds deliveries that are early, out of order, changed or missing", async (t) => {
  const audit = new WebhookAudit("w");
  audit.receive("1", "a", ["e1"]);
  audit.receive("1", "a", ["e1"]);
  audit.accept(["e1"]);
  audit.receive("2", "b", ["e2"]);
  audit.receive("1", "a", ["e1"]);
  audit.finish(["e1"]);
  t.strictSame([audit.problems, audit.repeated], [["w: event 1 is e2, not undefined"], 2]);
  audit.problems.length = 0;
  audit.receive("3", "c", ["e3"]);
  audit.receive("2", "B", ["e2"]);
  audit.finish(["e1", "e3", "e2"]);
  t.strictSame(audit.problems, [
    "w: 3 came although 1 events before it were not accepted",
    "w: 2 came again with another body",
    "w: 2 of 3 events were never accepted",
    "w: event 1 is e2, not e3",
  ]);
});
