import t from "tap";
import { planRestores } from "./restorer.ts";
import { testSoak } from "./test-soak.ts";

/**
 * Two of the restores of `npm run soak -- --restore`, of one seed: both databases, and then one of them alone, go back under
 * load, while NATS keeps its own, and everything that was answered holds. `SOAK_SEED` takes another.
 */
const SEED = Number(process.env.SOAK_SEED ?? 7);

t.setTimeout(500_000);

t.test(
  "restores - the seed says what goes back, and in every second round it is one database alone",
  async (t) => {
    const plan = planRestores(SEED, 8);
    t.strictSame(planRestores(SEED, 8), plan);
    const alone = plan.flatMap(({ which }) => (which.length === 1 ? which : []));
    t.strictSame([...alone].sort(), ["platform", "platform", "publisher", "publisher"]);
  },
);

t.test(
  `soak: databases go back twice under load, and everything that was answered holds (seed ${SEED})`,
  async (t) => {
    const { restores, webhooks } = await testSoak(t, {
      seed: SEED,
      seconds: 0,
      restores: { count: 2, calmSeconds: 2, roundSeconds: 8 },
      rate: 80,
      drainSeconds: 120,
      settleSeconds: 3,
    });
    t.equal(restores, 2);
    t.ok(webhooks.requests, "events were told");
  },
);
