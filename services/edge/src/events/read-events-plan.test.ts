import t from "tap";
import { LIMITS } from "#contract";
import type { Store } from "#postgres";
import { explaining, testOrganisation, testStore } from "#test-support";
import { readEvents } from "./event-rows.ts";

/** The number of events of each organisation; every hundredth is of the second type. */
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

/** The plan, with the number of rows from each node. */
async function planOf(changes: object): Promise<string> {
  const plans: string[] = [];
  const query = { organisationId, after: 0, types: TYPES, limit: 500, ...changes };
  const read = await readEvents(explaining(store, plans, "counted"), query);
  t.ok("bodies" in read && (read.bodies.length > 0 || read.more), "it reads something");
  t.equal(plans.length, 1);
  return plans[0] as string;
}

/** The number of events read, of all types. */
function readBy(plan: string): number {
  const scan =
    /Index Scan using events_organisation_type_idx on events [^\n]*actual rows=([\d.]+) loops=(\d+)/.exec(
      plan,
    );
  if (scan === null) throw new Error(`not by index: ${plan}`);
  return Math.round(Number(scan[1]) * Number(scan[2]));
}

t.test(
  "plan - each type is read by index from the cursor on, and no more of it than a page has",
  async (t) => {
    const perType = Math.ceil(LIMITS.rowsPerScan / TYPES.length);
    for (const [most, changes] of [
      [2 * 501, {}],
      [2 * 501, { after: 2 * EVENTS - 5000 }],
      [501, { types: TYPES.slice(1, 2) }],
      [2 * 2, { limit: 1 }],
      [2 * 1001, { limit: 1000, since: new Date(0) }],
      [perType + EVENTS / 100, { transactionRef: "unknown" }],
    ] as const) {
      const name = JSON.stringify(changes);
      const plan = await planOf(changes);
      const read = readBy(plan);
      t.ok(read > 0 && read <= most, `${name}: ${read} of at most ${most}`);
      t.notMatch(plan, /Seq Scan on events|events_sequence_key/, name);
    }
  },
);

t.test("plan - no events of other organisations are read, however many follow the cursor", async (t) => {
  const quiet = await testOrganisation(store);
  const plans: string[] = [];
  await readEvents(explaining(store, plans, "counted"), {
    organisationId: quiet,
    after: 0,
    types: TYPES,
    limit: 500,
  });
  t.equal(readBy(plans[0] as string), 0);
});

t.test("plan - the time to begin at is found by one look-up", async (t) => {
  const plan = await planOf({ after: undefined, since: new Date(Date.now() - 60_000) });
  t.match(plan, /Index (Only )?Scan Backward using events_written_idx/);
  t.ok(readBy(plan) <= 2 * 130, "from a minute before on");
});

t.test("plan - no more matching events are read than a page has, wherever `since` begins", async (t) => {
  await store`update events set member_id = gen_random_uuid() where organisation_id = ${organisationId}`;
  await store.script("vacuum analyze events");
  for (const [limit, after] of [
    [1, undefined],
    [1, 0],
    [10, undefined],
  ] as const) {
    const plans: string[] = [];
    const since = new Date(Date.now() - (EVENTS / 2) * 1000);
    const query = { organisationId, after, types: TYPES, limit, since };
    const read = await readEvents(explaining(store, plans, "counted"), query);
    t.match(read, { more: true });
    t.equal("bodies" in read && read.bodies.length, limit);
    const last = plans.at(-1) as string;
    // Reads the events of the minute before, of both types; and of a rare type, events until enough match.
    t.ok(readBy(last) <= 2 * 65 + (limit + 1) * 101, `${limit}: ${readBy(last)}`);
    const told = /members_pkey on members m [^\n]*loops=(\d+)/.exec(last);
    t.ok(Number(told?.[1]) <= limit + 1, `members are looked up for the page alone, ${told?.[1]} of them`);
  }
});
