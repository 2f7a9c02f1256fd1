import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { testOrganisation, testStore } from "#test-support";
import { type BatchPart, recordBatchParts } from "../../../ingest/src/record-batch-parts.ts";
import { testEvents } from "../../../webhooks/src/deliveries/test-deliveries.ts";
import { getBatch } from "./transaction-rows.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

function part(organisationId: string, batchId: string, firstEvent: number, rejected: number): BatchPart {
  return {
    batchId,
    organisationId,
    firstEvent,
    batchEvents: 10,
    partEvents: 5,
    rejected: Array.from({ length: rejected }, (_, n) => ({ index: firstEvent + n })),
    ignored: [],
    ignoredCount: 0,
    events: testEvents(organisationId, rejected, { first: firstEvent, type: "transaction.rejected" }),
  };
}

/** Of each event its type and its number, and not its id. */
const told = async (organisationId: string) =>
  (
    await store<{ body: string }[]>`
      select body from events where organisation_id = ${organisationId} order by sequence`
  ).map(({ body }) => (JSON.parse(body) as string).split(" ").slice(0, 2).join(" "));

t.test("batch parts - what was rejected is told once, in order, however often it is recorded", async (t) => {
  const organisation = await testOrganisation(store);
  const batch = uuidv7();
  const first = () => part(organisation, batch, 0, 2);
  const second = () => part(organisation, batch, 5, 3);
  await recordBatchParts(store, [first()]);
  await recordBatchParts(store, [first(), second()]);
  await Promise.all([1, 2, 3].map(() => recordBatchParts(store, [second(), first()])));
  t.strictSame(
    await told(organisation),
    [0, 1, 5, 6, 7].map((n) => `transaction.rejected ${n}`),
  );
  t.match(await getBatch(store, organisation, batch), {
    knownEvents: 10,
    rejected: [0, 1, 5, 6, 7].map((index) => ({ index })),
  });
});

t.test(
  "batch parts - what was ignored is read in order, a hundred of all parts, with the number of all",
  async (t) => {
    const organisation = await testOrganisation(store);
    const batch = uuidv7();
    await recordBatchParts(store, [part(organisation, batch, 5, 0), part(organisation, batch, 0, 0)]);
    const ignored = (first: number) =>
      Array.from({ length: 80 }, (_, n) => ({ index: first + n, fields: ["amount"] }));
    for (const [first, count] of [
      [0, 80],
      [5, 300],
    ] as const) {
      await store`
      update batch_parts
      set ignored = ${JSON.stringify(ignored(first * 100))}::text::jsonb, ignored_count = ${count}
      where batch_id = ${batch} and first_event = ${first}`;
    }
    const outcome = await getBatch(store, organisation, batch);
    t.equal(outcome?.ignoredCount, 380);
    t.strictSame(outcome?.ignored, [...ignored(0), ...ignored(500).slice(0, 20)]);
  },
);

t.test("batch parts - at one time: one of them tells", async (t) => {
  const organisation = await testOrganisation(store);
  const batch = uuidv7();
  await Promise.all(
    Array.from({ length: 8 }, () => recordBatchParts(store, [part(organisation, batch, 0, 4)])),
  );
  t.equal((await told(organisation)).length, 4);
});

t.test("batch parts - where nothing was rejected nothing is told", async (t) => {
  const organisation = await testOrganisation(store);
  await recordBatchParts(store, [part(organisation, uuidv7(), 0, 0)]);
  t.strictSame(await told(organisation), []);
});
