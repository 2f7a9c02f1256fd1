import { randomUUID } from "node:crypto";
import t from "tap";
import type { PlatformRecord } from "#contract/platform";
import { encodeId } from "#domain";
import type { StreamMessage } from "#nats";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import type { ConfigurationCache } from "../configuration/configuration.ts";
import { indexRoutes } from "../rules/route-transaction.ts";
import { RETAILER } from "./test-halves.ts";
import { keepUnrouted, walkUnrouted } from "./unrouted-records.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});
t.beforeEach(() => store`truncate platform.unrouted_records`.then(() => {}));

function purchase(transactionId: string, changes: Partial<PlatformRecord> = {}): PlatformRecord {
  return {
    transaction_id: encodeId("tx", transactionId),
    identifiers: ["a".repeat(64)],
    merchant_id: "Late",
    authed_at: "2026-03-01T12:00:00Z",
    clips: [],
    enrolments: [],
    ...changes,
  };
}

const clips = (...names: string[]) => names.map((name) => ({ clip_id: name, deal_id: `deal of ${name}` }));
const keep = (id: string, record: PlatformRecord) => keepUnrouted(store, [{ transactionId: id, record }]);

/** Walks after a retailer got `Late`. @returns the records of each call of the handler */
async function walk(meanwhile: () => Promise<void> = async () => {}): Promise<PlatformRecord[][]> {
  const retailer = { id: RETAILER, merchantIds: ["LATE"], statementDescriptors: [] };
  const routes = indexRoutes([{ id: RETAILER, since: 0, value: retailer }]);
  const configuration = { current: async () => ({ routes }) } as unknown as ConfigurationCache;
  const calls: PlatformRecord[][] = [];
  const handle = async ([message]: readonly StreamMessage[]) => {
    calls.push(JSON.parse(Buffer.from(message?.data ?? []).toString()).records);
    await meanwhile();
    return { results: [] };
  };
  await walkUnrouted({ store, configuration, handle }, new AbortController().signal);
  return calls;
}

const rowsOf = async () => [
  ...(await store<{ id: string }[]>`select transaction_id as id from platform.unrouted_records`),
];

t.test("regression - each new link kept a purchase of a merchant without retailer once more", async (t) => {
  const id = randomUUID();
  const names = Array.from({ length: 200 }, (_, i) => `${i}`);
  for (const name of names) await keep(id, purchase(id, { clips: clips(name) }));
  t.strictSame(await rowsOf(), [{ id }]);
  t.strictSame(await walk(), [[purchase(id, { clips: clips(...names) })]]);
  t.strictSame(await rowsOf(), []);
});

t.test("unrouted - descriptors and states stay apart, so that the first that belongs stands", async (t) => {
  const id = randomUUID();
  const authorized = purchase(id, { statement_descriptor: "FIRST", clips: clips("a") });
  const cleared = purchase(id, { statement_descriptor: "BAR", cleared_at: "2026-03-02T12:00:00Z" });
  const reverted = { ...cleared, reverted_at: "2026-03-03T12:00:00Z" };
  await keep(id, authorized);
  await keepUnrouted(store, [
    { transactionId: id, record: { ...cleared, clips: clips("b") } },
    { transactionId: id, record: { ...cleared, clips: clips("c") } },
  ]);
  await keep(id, reverted);
  await keep(id, authorized);
  t.strictSame(await walk(), [[authorized, { ...cleared, clips: clips("b", "c") }, reverted]]);
});

t.test("unrouted - of one transaction eight records are kept, the first and the newest", async (t) => {
  const id = randomUUID();
  const told = Array.from({ length: 20 }, (_, i) => purchase(id, { statement_descriptor: `${i}` }));
  for (const record of told) await keep(id, record);
  t.strictSame(await walk(), [[...told.slice(0, 7), told[19]]]);
});

t.test("regression - older purchases of a new retailer were handled before newer ones", async (t) => {
  const ids = Array.from({ length: 600 }, () => randomUUID());
  const at = (i: number) => new Date(Date.UTC(2026, 2, 1) + i * 1000).toISOString();
  await keepUnrouted(
    store,
    ids.map((id, i) => ({
      transactionId: id,
      record: purchase(id, { authed_at: at(i), merchant_id: i % 2 ? "late" : "LATE" }),
    })),
  );
  const other = randomUUID();
  await keep(other, purchase(other, { merchant_id: "Never" }));
  const calls = await walk();
  t.strictSame(
    calls.map(({ length }) => length),
    [500, 100],
  );
  t.strictSame(
    calls.flat().map(({ authed_at }) => authed_at),
    ids.map((_, i) => at(i)).reverse(),
  );
  t.strictSame(await rowsOf(), [{ id: other }], "the one of an unowned merchant id stays");
});

t.test("unrouted - a record that comes while its purchase is handled is handled too", async (t) => {
  const id = randomUUID();
  await keep(id, purchase(id, { clips: clips("a") }));
  await walk(() => keep(id, purchase(id, { clips: clips("b") })));
  t.strictSame(await walk(), [[purchase(id, { clips: clips("a", "b") })]]);
  t.strictSame(await rowsOf(), []);
});

t.test("unrouted - concurrent records of one purchase each add their links", async (t) => {
  const ids = [randomUUID(), randomUUID()];
  const names = Array.from({ length: 8 }, (_, i) => `${i}`);
  await Promise.all(
    names.map((name) =>
      keepUnrouted(
        store,
        ids.map((id) => ({
          transactionId: id,
          record: purchase(id, { clips: clips(name) }),
        })),
      ),
    ),
  );
  for (const record of (await walk()).flat()) {
    t.strictSame(record.clips.map(({ clip_id }) => clip_id).sort(), names);
  }
});
