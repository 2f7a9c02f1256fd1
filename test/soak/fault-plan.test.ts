import t from "tap";
import { LINK_FAULTS } from "#test-support";
import { FAULT_KINDS, planFaults } from "./fault-plan.ts";
import { planRestores } from "./restorer.ts";

const HALF_HOUR_MS = 30 * 60_000;

t.test("fault plan - one seed has one plan, another seed another", async (t) => {
  const textOf = (seed: number) => JSON.stringify(planFaults(seed, HALF_HOUR_MS));
  const [first, again, other] = [7, 7, 8].map(textOf);
  t.ok(first === again);
  t.ok(first !== other);
});

t.test(
  "fault plan - half an hour has every kind, to every service, several at a time, and calm between",
  async (t) => {
    const plan = planFaults(1, HALF_HOUR_MS);
    for (const kind of FAULT_KINDS) t.ok(plan.filter((fault) => fault.kind === kind).length >= 5, kind);
    for (const fault of LINK_FAULTS)
      t.ok(
        plan.some(({ kind, link }) => kind === "link" && link.fault === fault),
        fault,
      );
    t.equal(new Set(plan.map(({ service }) => service)).size, 5);
    const frozen = plan.filter(({ kind }) => kind.startsWith("freeze"));
    t.ok(frozen.every(({ forMs }) => forMs >= 3_000 && forMs <= 20_000));
    const overlapping = plan.filter((fault, i) => {
      return plan.slice(0, i).some((other) => other.atMs + other.forMs > fault.atMs);
    });
    t.ok(overlapping.length > plan.length / 2);
    t.ok(plan.every(({ atMs }) => atMs % 60_000 <= 45_000 + 4_000));
    t.ok(plan.filter(({ kind }) => /kill|freeze/.test(kind)).length > 300);
  },
);

t.test("fault plan - a choice of kinds and services is kept", async (t) => {
  const plan = planFaults(1, HALF_HOUR_MS, { kinds: ["link", "freeze-service"], services: ["ingest"] });
  t.ok(plan.every(({ kind, service }) => /link|freeze-service/.test(kind) && service === "ingest"));
  t.strictSame(planFaults(1, HALF_HOUR_MS, { kinds: [] }), []);
});

t.test(
  "restores - the seed decides what goes back, and in every second round it is one database alone",
  async (t) => {
    const plan = planRestores(7, 8);
    t.strictSame(planRestores(7, 8), plan);
    const alone = plan.flatMap(({ which }) => (which.length === 1 ? which : []));
    t.strictSame([...alone].sort(), ["platform", "platform", "publisher", "publisher"]);
  },
);
