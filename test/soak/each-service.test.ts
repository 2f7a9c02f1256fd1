import t from "tap";
import { SERVICES } from "./installation.ts";
import { testSoak } from "./test-soak.ts";

/**
 * `npm run soak -- --services <one>` for each service: kills, freezes and broken connections of its two processes
 * and of their servers' ends, and an audit of every answer. In `npm run test:long`; `SOAK_SEED` repeats its plans.
 */
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
const SECONDS = 30;

t.setTimeout(SERVICES.length * 400_000);

for (const service of SERVICES) {
  t.test(`soak: ${SECONDS} seconds of faults of ${service} (seed ${SEED})`, async (t) => {
    const { summary } = await testSoak(t, {
      seed: SEED,
      seconds: SECONDS,
      faults: { services: [service], kinds: ["kill-service", "freeze-service", "link"] },
      drainSeconds: 120,
      settleSeconds: 5,
    });
    t.ok(summary.faultsInAll > 0, `${summary.kills} kills, ${summary.freezes} freezes`);
  });
}
