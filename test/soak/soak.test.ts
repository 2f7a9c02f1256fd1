import t from "tap";
import { testSoak } from "./test-soak.ts";

/**
 * Forty seconds of `npm run soak`, of one seed: kills, freezes and broken connections of everything, several at a time, and an
 * audit of everything that was answered. `SOAK_SEED` takes another.
 */
const SEED = Number(process.env.SOAK_SEED ?? 13);

t.setTimeout(400_000);

t.test(`soak: forty seconds of faults, and everything that was answered holds (seed ${SEED})`, async (t) => {
  const { kills, freezes } = await testSoak(t, {
    seed: SEED,
    seconds: 40,
    rate: 120,
    drainSeconds: 80,
    settleSeconds: 5,
  });
  // What met no faults would prove nothing.
  t.ok(kills + freezes >= 8, `${kills} kills, ${freezes} freezes`);
});
