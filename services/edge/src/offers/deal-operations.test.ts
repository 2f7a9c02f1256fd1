import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { dealRecord, testStore } from "#test-support";
import { applyDealConfig } from "../../../rewards/src/handle-config.ts";
import { getDeal, listDeals } from "./deals.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const apply = (id: string, revision: number, record: ReturnType<typeof dealRecord> | null) =>
  applyDealConfig(store, { id, revision, record });

t.test("deal - the platform's deal is read back unchanged", async (t) => {
  const id = uuidv7();
  t.equal(await getDeal(store, id), undefined);
  const record = dealRecord({
    rewardConfig: { type: "fixed", amount: 250, currency: "SEK" },
    startsAt: "2026-02-01T00:00:00.000000Z",
    endsAt: "2026-03-01T00:00:00.000000Z",
  });
  t.equal(await apply(id, 1, record), true);
  t.strictSame(await getDeal(store, id), {
    id,
    name: "Shoes",
    rewardConfig: record.rewardConfig,
    displayContent: record.displayContent,
    startsAt: new Date("2026-02-01T00:00:00Z"),
    endsAt: new Date("2026-03-01T00:00:00Z"),
    createdAt: new Date("2026-01-01T00:00:00Z"),
    updatedAt: new Date("2026-01-02T00:00:00.123Z"),
  });
});

t.test("deal - a newer revision replaces all of it, the same or an older one nothing", async (t) => {
  const id = uuidv7();
  await apply(id, 2, dealRecord({ name: "two", endsAt: "2026-03-01T00:00:00.000000Z" }));
  t.equal(await apply(id, 1, dealRecord({ name: "one" })), false);
  t.equal(await apply(id, 2, dealRecord({ name: "two again" })), false);
  t.match(await getDeal(store, id), { name: "two", endsAt: Date });
  t.equal(await apply(id, 3, dealRecord({ name: "three" })), true);
  t.match(await getDeal(store, id), { name: "three", startsAt: null, endsAt: null });
});

t.test("deal - a removed one is gone, and an older message does not bring it back", async (t) => {
  const id = uuidv7();
  t.equal(await apply(id, 3, null), true);
  t.equal(await apply(id, 2, dealRecord()), false);
  t.equal(await getDeal(store, id), undefined);
  const [row] = await store`select * from deals where id = ${id}`;
  t.match(row, { revision: 3, removed_at: Date, name: null, reward_config: null, created_at: null });
  t.equal(await apply(id, 4, dealRecord()), true);
  t.ok(await getDeal(store, id));
  t.equal(await apply(id, 5, null), true);
  t.equal(await getDeal(store, id), undefined);
});

t.test("deals - a list pages by id; removed deals are left out, those that are over are not", async (t) => {
  await store`delete from deals`;
  const ids = Array.from({ length: 4 }, () => uuidv7());
  for (const id of ids) await apply(id, 1, dealRecord({ endsAt: "2026-01-03T00:00:00.000000Z" }));
  const removed = ids.splice(2, 1)[0] as string;
  await apply(removed, 2, null);
  const first = await listDeals(store, { limit: 2 });
  t.strictSame([first.records.map(({ id }) => id), first.more], [ids.slice(0, 2), true]);
  const second = await listDeals(store, { limit: 2, after: ids[1] });
  t.strictSame([second.records.map(({ id }) => id), second.more], [ids.slice(2), false]);
});
