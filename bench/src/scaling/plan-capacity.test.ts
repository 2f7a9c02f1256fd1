import t from "tap";
import { limitOf, planCapacity, planInstallations, TERMS } from "./plan-capacity.ts";
import { tryPlan } from "./results.ts";
import { exampleCosts } from "./test-measurements.ts";

const COSTS = exampleCosts();
const planOf = (eventsPerSecond: number) => planCapacity(COSTS, { ...TERMS, eventsPerSecond });

t.test("plan - twice the events never take fewer of anything", async (t) => {
  const plans = [50_000, 100_000, 200_000, 400_000, 800_000].map(planOf);
  for (const [at, larger] of plans.slice(1).entries()) {
    const smaller = plans[at] as typeof larger;
    for (const what of ["edges", "ingests", "partitions", "platforms", "natsNodes", "shards"] as const) {
      t.ok(larger[what] >= smaller[what], `${what}: ${smaller[what]}, then ${larger[what]}`);
    }
    t.ok((larger.bounds[0]?.used ?? 0) >= (smaller.bounds[0]?.used ?? 0), "the nearest bound comes nearer");
  }
});

t.test("plan - each ingest process has as many partitions as the others", async (t) => {
  for (const rate of [30_000, 100_000, 300_000]) {
    const { partitions, ingests } = planOf(rate);
    t.equal(partitions % ingests, 0, `${partitions} of ${ingests}`);
  }
});

t.test("plan - where a bound is passed it is split until none is", async (t) => {
  const terms = { ...TERMS, eventsPerSecond: 1_000_000 };
  const { installations, each } = planInstallations(COSTS, terms);
  t.ok(installations > 1);
  t.ok((each.bounds[0]?.used ?? 1) <= TERMS.busy);
  const before = planCapacity(COSTS, { ...terms, eventsPerSecond: 1_000_000 / (installations - 1) });
  t.ok((before.bounds[0]?.used ?? 0) > TERMS.busy, "and no oftener");
});

t.test("plan - what is planned holds in the simulation, and half of it does not", async (t) => {
  const plan = planOf(100_000);
  t.ok(tryPlan(COSTS, plan).holds);
  const half = { ...plan, ingests: 1, edges: 1 };
  t.notOk(tryPlan(COSTS, half).holds);
});

t.test(
  "limit - a slower disk never carries more, and the bound in the way is the nearest of a larger plan",
  async (t) => {
    const limits = [0.05, 0.5, 2, 10].map((syncMs) => limitOf(COSTS, TERMS, syncMs));
    for (const [at, slower] of limits.slice(1).entries()) {
      t.ok(
        slower.eventsPerSecond <= (limits[at]?.eventsPerSecond ?? 0),
        `${slower.syncMs} ms: ${slower.eventsPerSecond}`,
      );
    }
    t.match(limits.at(-1)?.bound, /syncs/);
  },
);
