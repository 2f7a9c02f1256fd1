import t from "tap";
import { planInstallation, planInstallations, rateAt, TERMS } from "./plan.ts";
import { exampleCosts } from "./test-measurements.ts";

const COSTS = exampleCosts();

t.test("plan - twice the events never need fewer of any part", async (t) => {
  const plans = [25_000, 50_000, 100_000, 200_000, 400_000].map((rate) => planInstallation(COSTS, rate));
  for (const [at, larger] of plans.slice(1).entries()) {
    const smaller = plans[at] as typeof larger;
    for (const what of ["edges", "platforms", "natsNodes", "databaseCores", "messagesPerSecond"] as const) {
      t.ok(larger[what] >= smaller[what], `${what}: ${smaller[what]}, then ${larger[what]}`);
    }
    for (const { name, used } of larger.bounds) {
      const before = smaller.bounds.find((bound) => bound.name === name);
      t.ok(used >= (before?.used ?? 1), `${name} comes nearer`);
    }
  }
});

t.test("plan - a plan that passes a bound is split until none is passed, and no more often", async (t) => {
  const nearest = (installations: number) =>
    planInstallation(COSTS, 1_000_000 / installations).bounds[0]?.used ?? 0;
  const { installations } = planInstallations(COSTS, 1_000_000);
  t.ok(installations > 1);
  t.ok(nearest(installations) <= TERMS.busy);
  t.ok(nearest(installations - 1) > TERMS.busy);
});

t.test("plan - no message has more events than it may, and no batch more rows", async (t) => {
  const { eventsPerSecond, messagesPerSecond, batchesPerSecond } = planInstallation(COSTS, 5_000_000);
  t.ok(eventsPerSecond / messagesPerSecond <= 1000);
  t.ok(eventsPerSecond / batchesPerSecond <= 2000);
});

t.test("plan - if a cost is twice as high, its bound is reached at a lower rate", async (t) => {
  const bound = `one PostgreSQL of ${TERMS.databaseCores} cores`;
  const { micros, ...rest } = COSTS["ingest database"];
  const dear = { ...rest, micros: { ...micros, event: 2 * (micros.event ?? 0) } };
  const after = rateAt({ ...COSTS, "ingest database": dear }, bound, 1);
  const before = rateAt(COSTS, bound, 1);
  t.ok(before !== undefined && after !== undefined && after < before, `${after} is below ${before}`);
});
