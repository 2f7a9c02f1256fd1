import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { programRecord, testStore } from "#test-support";
import { applyProgramConfig } from "../../../rewards/src/handle-config.ts";
import { getProgram, listPrograms } from "./programs.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const apply = (id: string, revision: number, record: ReturnType<typeof programRecord> | null) =>
  applyProgramConfig(store, { id, revision, record });

t.test("program - the platform's program is read back unchanged", async (t) => {
  const id = uuidv7();
  t.equal(await getProgram(store, id), undefined);
  const displayContent = { ...programRecord().displayContent, logo: "l", reward: { formatted: "5 €" } };
  const rewardConfig = { type: "fixed-reward", amount: 500 } as const;
  t.equal(await apply(id, 7, programRecord({ displayContent, rewardConfig, currency: "EUR" })), true);
  t.strictSame(await getProgram(store, id), {
    id,
    name: "Coffee",
    qualifyingThreshold: 10,
    rewardConfig,
    displayContent,
    createdAt: new Date("2026-01-01T00:00:00Z"),
    updatedAt: new Date("2026-01-02T00:00:00.123Z"),
  });
  const [row] = await store`select currency, revision from loyalty_programs where id = ${id}`;
  t.match(row, { currency: "EUR", revision: 7 });
});

t.test("program - a newer revision replaces all of it, the same or an older one nothing", async (t) => {
  const id = uuidv7();
  await apply(id, 2, programRecord({ name: "two", currency: "EUR" }));
  t.equal(await apply(id, 1, programRecord({ name: "one" })), false);
  t.equal(await apply(id, 2, programRecord({ name: "two again" })), false);
  t.match(await getProgram(store, id), { name: "two" });
  t.equal(await apply(id, 3, programRecord({ name: "three", qualifyingThreshold: 3 })), true);
  t.match(await getProgram(store, id), { name: "three", qualifyingThreshold: 3 });
  const [row] = await store`select currency from loyalty_programs where id = ${id}`;
  t.match(row, { currency: null });
});

t.test("program - a removed one is gone, and an older message does not bring it back", async (t) => {
  const id = uuidv7();
  await apply(id, 1, programRecord());
  t.equal(await apply(id, 3, null), true);
  t.equal(await getProgram(store, id), undefined);
  t.equal(await apply(id, 2, programRecord()), false);
  t.equal(await apply(id, 3, programRecord()), false);
  t.equal(await getProgram(store, id), undefined);
  const [row] = await store`select * from loyalty_programs where id = ${id}`;
  t.match(row, { revision: 3, removed_at: Date, name: null, reward_config: null, created_at: null });
  t.equal(await apply(id, 4, programRecord({ name: "back" })), true);
  t.match(await getProgram(store, id), { name: "back" });
});

t.test("program - a removal that comes first leaves its mark", async (t) => {
  const id = uuidv7();
  t.equal(await apply(id, 2, null), true);
  t.equal(await apply(id, 1, programRecord()), false);
  t.equal(await getProgram(store, id), undefined);
});

t.test("program - messages in any order, repeated and at one time end with the newest", async () => {
  const message = fc.record({ revision: fc.integer({ min: 1, max: 6 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 12 }), async (messages) => {
      const id = uuidv7();
      // Each revision has different content: every third is a removal.
      await Promise.all(
        messages.map(({ revision }) =>
          apply(id, revision, revision % 3 === 0 ? null : programRecord({ name: `revision ${revision}` })),
        ),
      );
      const newest = Math.max(...messages.map(({ revision }) => revision));
      const expected = newest % 3 === 0 ? undefined : `revision ${newest}`;
      assert.equal((await getProgram(store, id))?.name, expected);
    }),
    { numRuns: 40, seed: 4 },
  );
});

t.test("programs - a list pages by id and leaves the removed ones out", async (t) => {
  await store`delete from loyalty_programs`;
  const ids = Array.from({ length: 4 }, () => uuidv7());
  for (const id of ids) await apply(id, 1, programRecord());
  const removed = ids.splice(1, 1)[0] as string;
  await apply(removed, 2, null);
  const first = await listPrograms(store, { limit: 2 });
  t.strictSame([first.records.map(({ id }) => id), first.more], [ids.slice(0, 2), true]);
  const second = await listPrograms(store, { limit: 2, after: ids[1] });
  t.strictSame([second.records.map(({ id }) => id), second.more], [ids.slice(2), false]);
  t.strictSame(second.records[0], await getProgram(store, ids[2] as string));
  t.match(await listPrograms(store, { limit: 2, skip: 3 }), { records: [], more: false });
});
