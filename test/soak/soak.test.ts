import t from "tap";
import { runSoak } from "./soak.ts";

/**
 * Forty seconds of `npm run soak`, of one seed: kills, freezes and broken connections of everything, several at a time, and an
 * audit of everything that was answered. `SOAK_SEED` takes another.
 */
const SEED = Number(process.env.SOAK_SEED ?? 13);

t.setTimeout(400_000);

t.test(`soak: forty seconds of faults, and everything that was answered holds (seed ${SEED})`, async (t) => {
  const interrupt = new AbortController();
  t.teardown(() => interrupt.abort());
  const { summary, explained } = await runSoak({
    seed: SEED,
    seconds: 40,
    rate: 120,
    drainSeconds: 80,
    settleSeconds: 5,
    say: (line) => t.comment(line),
    signal: interrupt.signal,
  });
  t.comment(JSON.stringify(summary));
  t.strictSame(explained.slice(0, 10), []);
  t.equal(summary.problems, 0);
  // What met no load or no faults would prove nothing.
  t.ok(summary.transactions >= 50, `${summary.transactions} transactions`);
  t.ok(summary.kills + summary.freezes >= 8, `${summary.kills} kills, ${summary.freezes} freezes`);
});
