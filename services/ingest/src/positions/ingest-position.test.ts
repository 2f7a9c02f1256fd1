import t from "tap";
import type { Store } from "#postgres";
import { testStore } from "#test-support";
import { FencedError, movePositions, resetPosition, takeOverPosition } from "./ingest-position.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const move = (partition: number, epoch: number, from: number, applied: number) => ({
  partition,
  epoch,
  from,
  applied,
  published: from,
  storedAtMs: null,
});

t.test("position - the first owner finds nothing done, and the next one finds its work", async (t) => {
  const first = await takeOverPosition(store, 1);
  t.strictSame(first, {
    epoch: 1,
    applied: 0,
    published: 0,
    streamCreated: "",
    storedAtMs: null,
    isServerNew: true,
  });
  await movePositions(store, [move(1, 1, 0, 7)]);
  t.match(await takeOverPosition(store, 1), { epoch: 2, applied: 7, published: 0 });
});

t.test(
  "position - two owners: the one before moves nothing any more, and its batch is not committed",
  async (t) => {
    const { epoch } = await takeOverPosition(store, 2);
    await takeOverPosition(store, 2);
    const batch = store.begin(async (sql) => {
      await sql`insert into deleted_members (member_id) values (${"01980000-0000-7000-8000-000000000002"})`;
      await movePositions(sql, [move(2, epoch, 0, 5)]);
    });
    await t.rejects(batch, { code: "fenced", partitions: [2] });
    t.strictSame(await store`select 1 from deleted_members`, []);
  },
);

t.test("position - a batch that comes a second time, or out of turn, is not committed", async (t) => {
  const { epoch } = await takeOverPosition(store, 3);
  await movePositions(store, [move(3, epoch, 0, 5)]);
  await t.rejects(movePositions(store, [move(3, epoch, 0, 5)]), FencedError);
  await t.rejects(movePositions(store, [move(3, epoch, 6, 9)]), FencedError);
  await movePositions(store, [move(3, epoch, 5, 9)]);
});

t.test("position - of several partitions, the lost ones are named", async (t) => {
  const epochs = await Promise.all(
    [4, 5, 6].map(async (partition) => (await takeOverPosition(store, partition)).epoch),
  );
  await takeOverPosition(store, 5);
  const moves = [4, 5, 6].map((partition, i) => move(partition, epochs[i] as number, 0, 3));
  const moving = store.begin((sql) => movePositions(sql, moves));
  await t.rejects(moving, { code: "fenced", partitions: [5] });
  t.match(await takeOverPosition(store, 4), { applied: 0 });
});

t.test("position - a new owner waits for a batch that is committing", async (t) => {
  const { epoch } = await takeOverPosition(store, 7);
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let moved = () => {};
  const isMoved = new Promise<void>((resolve) => {
    moved = resolve;
  });
  const batch = store.begin(async (sql) => {
    await movePositions(sql, [move(7, epoch, 0, 4)]);
    moved();
    await held;
  });
  await isMoved;
  const next = takeOverPosition(store, 7);
  commit();
  await batch;
  t.match(await next, { epoch: epoch + 1, applied: 4 });
});

t.test("position - only the owner sets it back, and the loss is noted", async (t) => {
  const { epoch, ...first } = await takeOverPosition(store, 8);
  const to = { applied: 12, published: 12, streamCreated: "today", storedAtMs: null };
  await resetPosition(store, { partition: 8, epoch, from: first, to, lostThrough: null });
  const gaps = () => store`select applied, lost_through, stream_created from ingest_gaps where partition = 8`;
  t.strictSame(await gaps(), [], "nothing of a new installation");
  const { epoch: next } = await takeOverPosition(store, 8);
  const reset = { partition: 8, epoch, from: to, to: { ...to, applied: 20 }, lostThrough: 20 };
  await t.rejects(resetPosition(store, reset), FencedError);
  t.match(await takeOverPosition(store, 8), { applied: 12, published: 12, streamCreated: "today" });
  t.strictSame(await gaps(), []);
  await resetPosition(store, { ...reset, epoch: next + 1 });
  t.match(await gaps(), [{ applied: 12, lost_through: 20, stream_created: "today" }]);
});
