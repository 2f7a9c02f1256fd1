import t from "tap";
import { VALIDATORS } from "#contract/validation";
import { describeTransaction, eventOf, firstExternalId, requestBody } from "./event-text.ts";
import { AUTHORIZED, CLEARED, planLane, REVERTED, type WorkloadSpec } from "./workload.ts";
import { createWorld } from "./world.ts";

const SPEC: WorkloadSpec = { seed: 7, run: 3, lanes: 4, requestsPerLane: 60, size: 50 };

t.test("workload - the same seed gives the same events, another seed others", async (t) => {
  t.strictSame(planLane(SPEC, 1), planLane(SPEC, 1));
  t.notSame(planLane(SPEC, 1).transactions, planLane({ ...SPEC, seed: 8 }, 1).transactions);
  t.notSame(planLane(SPEC, 1).transactions, planLane(SPEC, 2).transactions);
});

t.test("workload - settling and repeated events refer to an earlier request of their lane", async (t) => {
  for (const size of [1, 50]) {
    const { transactions, states } = planLane({ ...SPEC, size }, 2);
    const firstRequest = new Map<number, number>();
    let faults = 0;
    for (const [at, transaction] of transactions.entries()) {
      const request = Math.floor(at / size);
      const first = firstRequest.get(transaction);
      if (first === undefined) firstRequest.set(transaction, request);
      if (first === request || (first === undefined && states[at] !== AUTHORIZED)) faults++;
    }
    t.equal(faults, 0, `requests of ${size}`);
  }
});

t.test("workload - no transaction occurs twice in one request", async (t) => {
  const { transactions } = planLane(SPEC, 2);
  let repeated = 0;
  for (let first = 0; first < transactions.length; first += SPEC.size) {
    repeated += SPEC.size - new Set(transactions.subarray(first, first + SPEC.size)).size;
  }
  t.equal(repeated, 0);
});

t.test("workload - an event as an object is the event as text", async (t) => {
  const world = createWorld(SPEC.seed, 100);
  const plan = planLane(SPEC, 1);
  for (const request of [0, 1, SPEC.requestsPerLane - 1]) {
    const events = Array.from({ length: SPEC.size }, (_, i) =>
      eventOf(SPEC, plan, request * SPEC.size + i, world),
    );
    t.equal(JSON.stringify({ events }), requestBody(SPEC, plan, request, world));
  }
});

t.test("workload - a transaction is settled one way at most", async (t) => {
  const { transactions, states } = planLane(SPEC, 0);
  const settledAs = new Map<number, number>();
  let contradictions = 0;
  for (const [at, transaction] of transactions.entries()) {
    const state = states[at] as number;
    if (state === AUTHORIZED) continue;
    if ((settledAs.get(transaction) ?? state) !== state) contradictions++;
    settledAs.set(transaction, state);
  }
  t.equal(contradictions, 0);
});

t.test("workload - the mix is the documented one", async (t) => {
  const { transactions, states } = planLane({ ...SPEC, requestsPerLane: 1_000 }, 0);
  const seen = new Set<string>();
  const counts = { fresh: 0, cleared: 0, reverted: 0, resent: 0 };
  for (const [at, transaction] of transactions.entries()) {
    const state = states[at] as number;
    const key = `${transaction} ${state}`;
    if (seen.has(key)) counts.resent++;
    else if (state === AUTHORIZED) counts.fresh++;
    else if (state === CLEARED) counts.cleared++;
    else if (state === REVERTED) counts.reverted++;
    seen.add(key);
  }
  const share = (count: number) => Math.round((count / transactions.length) * 100);
  t.strictSame(
    [share(counts.fresh), share(counts.cleared), share(counts.reverted), share(counts.resent)],
    [80, 15, 3, 2],
  );
});

t.test("workload - ids of a run are UUIDv7, distinct, and sort after those of the run before", async (t) => {
  const ids = Array.from({ length: 5_000 }, (_, number) => describeTransaction(7, 3, number, 100).externalId);
  t.equal(new Set(ids).size, ids.length);
  t.ok(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
  t.ok(ids.every((id) => id >= firstExternalId(3) && id < firstExternalId(4)));
});

t.test("workload - every request is valid by the contract", async (t) => {
  const world = createWorld(SPEC.seed, 100);
  const plan = planLane(SPEC, 0);
  for (let request = 0; request < SPEC.requestsPerLane; request++) {
    const body = JSON.parse(requestBody(SPEC, plan, request, world));
    if (!VALIDATORS["transaction/ingest"](body))
      t.fail(JSON.stringify(VALIDATORS["transaction/ingest"].errors));
  }
});
