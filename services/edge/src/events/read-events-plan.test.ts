import t from "tap";
import type { Store } from "#postgres";
import { explaining, testOrganisation, testStore } from "#test-support";
import { readEvents } from "./event-rows.ts";

/** Of each organisation; every hundredth is of the second type. */
const EVENTS = 50_000;
const TYPES = ["cashback.created", "transaction.rejected", "cashback.cleared"];

let store: Store;
let organisationId: string;

t.before(async () => {
  store = await testStore();
  organisationId = await testOrganisation(store);
  const organisations = [organisationId, await testOrganisation(store)];
  await store`
    insert into events (at, written_at, id, organisation_id, type, body)
    select now(), now() - (${EVENTS} - n) * interval '1 second', gen_random_uuid(), (${organisations}::uuid[])[o],
           (${TYPES}::text[])[1 + (n % 100 = 0)::int], '{"transaction_ref":"' || n || '"}'
    from generate_series(1, ${EVENTS}::int) as n, generate_series(1, 2) as o
    order by n, o`;
  await store`update webhook_horizon set sequence = (select max(sequence) from events)`;
  await store.script("vacuum analyze events, webhook_horizon");
});

async function planOf(changes: object): Promise<string> {
  const plans: string[] = [];
  const query = { organisationId, after: EVENTS, types: TYPES, limit: 500, ...changes };
  const read = await readEvents(explaining(store, plans), query);
  t.ok("bodies" in read && read.bodies.length > 0, "it reads something");
  t.equal(plans.length, 1);
  return plans[0] as string;
}

t.test("plan - each type is read by index from the cursor on, and merged without a sort", async (t) => {
  for (const changes of [{}, { types: TYPES.slice(1, 2) }, { limit: 1 }, { transactionRef: "49999" }]) {
    const plan = await planOf(changes);
    t.notMatch(plan, /Seq Scan on events/, JSON.stringify(changes));
    t.match(plan, /events_organisation_type_idx/);
    const [, reading = ""] = plan.split("looked");
    t.notMatch(reading.split(/CTE|SubPlan|InitPlan/)[0] as string, /Sort/, plan);
  }
});

t.test("plan - the time to begin at is found by one look-up", async (t) => {
  const plan = await planOf({ after: undefined, since: new Date(Date.now() - 60_000) });
  t.match(plan, /Index (Only )?Scan Backward using events_written_idx/);
  t.notMatch(plan, /Seq Scan on events/);
});

t.test("plan - it looks at no more events than a page has, wherever the cursor stands", async (t) => {
  const plans: string[] = [];
  await readEvents(explaining(store, plans, "counted"), {
    organisationId,
    after: 0,
    types: TYPES,
    limit: 500,
  });
  const scanned = (plans[0] as string)
    .split("\n")
    .filter((line) => /Scan using events_/.test(line))
    .map((line) => Number(/actual .*rows=([\d.]+)/.exec(line)?.[1] ?? 0));
  t.equal(scanned.length, TYPES.length);
  const all = scanned.reduce((sum, rows) => sum + rows, 0);
  t.ok(all > 500 && all <= 501 + TYPES.length, `${all} of them`);
});
