import t from "tap";
import { DAMAGED_KINDS, damage } from "./damage.ts";
import { planFaults } from "./fault-plan.ts";
import { testSoak } from "./test-soak.ts";

/**
 * Forty seconds of `npm run soak`, of one seed: kills, freezes and broken connections of everything, several
 * at a time, and an audit of every answer. `SOAK_SEED` takes another seed. Then the test does by hand the
 * damage that faults could have done: a second audit must see all of it, and nothing else.
 */
const SEED = Number(process.env.SOAK_SEED ?? 632);

const SECONDS = 40;

t.setTimeout(400_000);

t.test(`soak: forty seconds of faults, and every answer still holds (seed ${SEED})`, async (t) => {
  const damaged: Record<string, string> = {};
  const { summary, spoiled } = await testSoak(t, {
    seed: SEED,
    seconds: SECONDS,
    rate: 80,
    drainSeconds: 80,
    settleSeconds: 5,
    spoil: async ({ store }, book) => {
      Object.assign(damaged, await damage(store, book));
    },
  });
  const { kills, freezes } = summary;
  const ofWebhooks = planFaults(SEED, SECONDS * 1000).filter(({ service }) => service === "webhooks");
  if (process.env.SOAK_SEED === undefined) {
    for (const kind of ["freeze-service", "kill-service", "link"])
      t.ok(
        ofWebhooks.some((fault) => fault.kind === kind),
        `for webhooks the plan of this seed has ${kind}`,
      );
  }
  // A load that met no faults would prove nothing.
  t.ok(kills + freezes >= 8, `${kills} kills, ${freezes} freezes`);

  const found = spoiled.map(({ text, refs }) => `${text} ${refs.join(" ")}`).join("\n");
  for (const [what, ref] of Object.entries(damaged))
    t.ok(found.includes(ref), `the audit sees ${what}`, { found });
  t.strictSame([...new Set(spoiled.map(({ kind }) => kind))].sort(), DAMAGED_KINDS, "and nothing else", {
    found,
  });
});
