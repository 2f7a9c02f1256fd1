import t from "tap";
import { testSoak } from "./test-soak.ts";

/**
 * Restores as `npm run soak -- --restore` makes them, of one seed: both databases, and in `npm run test:long`
 * then one of them alone, go back under load, while NATS keeps its state, and every answer still holds.
 * `SOAK_SEED` takes another seed.
 */
const SEED = Number(process.env.SOAK_SEED ?? 7);
const COUNT = process.env.TEST_LONG === undefined ? 1 : 8;

t.setTimeout(300_000 + COUNT * 150_000);

t.test(
  `soak: databases go back ${COUNT} times under load, and every answer still holds (seed ${SEED})`,
  async (t) => {
    const { summary } = await testSoak(t, {
      seed: SEED,
      seconds: 0,
      restores: { count: COUNT, calmSeconds: 2, roundSeconds: 8 },
      rate: 80,
      drainSeconds: 120,
      settleSeconds: 3,
    });
    t.equal(summary.restores, COUNT);
    t.ok(summary.webhooks.requests, "events were told");
  },
);
