import { setImmediate as loopTurn } from "node:timers/promises";
import t from "tap";
import { LIMITS } from "#contract";
import { waitFor } from "#test-support";
import { BodyTurns } from "./body-turns.ts";

const LARGE = LIMITS.largeBodyBytes;

/** Turns with a clock that stands still, and the list of finished work. */
function scene() {
  let ms = 1_000_000;
  const done: string[] = [];
  const turns = new BodyTurns({ now: () => ms });
  const send = (sender: string, bytes: number, name = sender) =>
    turns.take(sender, bytes, () => done.push(name));
  const pass = (by: number) => {
    ms += by;
  };
  return { done, send, pass };
}

t.test("turns - a small body waits for no large one", async (t) => {
  const { done, send } = scene();
  for (let n = 0; n < 6; n++) send("loud", LARGE);
  send("quiet", LARGE - 1);
  t.strictSame(done, ["quiet"]);
});

t.test("turns - the event loop turns between two large bodies", async (t) => {
  const { done, send } = scene();
  for (let n = 0; n < 6; n++) send("loud", LARGE);
  let before = done.length;
  while (done.length < 6) {
    await loopTurn();
    t.ok(done.length - before <= 1, "one in each turn");
    before = done.length;
  }
});

t.test("turns - senders take turns, and each keeps its order", async (t) => {
  const { done, send } = scene();
  for (const name of ["a1", "a2", "a3"]) send("a", LARGE, name);
  for (const name of ["b1", "b2"]) send("b", LARGE, name);
  send("c", LARGE, "c1");
  await waitFor(() => done.length === 6, { message: "all had their turn" });
  t.strictSame(done, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

t.test("turns - among others a sender has one heavy work under way, alone as many as it sends", async (t) => {
  const begun: string[] = [];
  const open: Array<() => void> = [];
  let ms = 1_000_000;
  const turns = new BodyTurns({ now: () => ms });
  const send = (sender: string, name: string) => {
    const work = () => {
      begun.push(name);
      return new Promise<void>((resolve) => open.push(resolve));
    };
    turns.take(sender, LARGE, work, true);
  };
  send("loud", "a1");
  send("loud", "a2");
  await waitFor(() => begun.length === 2, { message: "alone it has both under way" });
  turns.take("quiet", 1, () => {});
  send("loud", "a3");
  send("other", "b1");
  await waitFor(() => begun.length === 3, { message: "the other has its turn" });
  t.strictSame(begun, ["a1", "a2", "b1"]);
  open.shift()?.();
  for (let turn = 0; turn < 5; turn++) await loopTurn();
  t.equal(begun.length, 3, "one of its works is still under way");
  open.shift()?.();
  await waitFor(() => begun.length === 4, { message: "both are settled" });
  ms += LIMITS.senderActiveMs;
  send("loud", "a4");
  await waitFor(() => begun.length === 5, { message: "no other sender sends" });
  t.strictSame(begun, ["a1", "a2", "b1", "a3", "a4"]);
});

t.test("turns - a sender's other bodies pass by its heavy ones that wait, in their order", async (t) => {
  const done: string[] = [];
  let open: () => void = () => {};
  const turns = new BodyTurns({ now: () => 1_000_000 });
  const heavy = (name: string) => {
    const work = () => {
      done.push(name);
      return new Promise<void>((resolve) => (open = resolve));
    };
    turns.take("loud", LARGE, work, true);
  };
  turns.take("quiet", 1, () => {});
  heavy("upsert 1");
  heavy("upsert 2");
  for (const name of ["ingest 1", "ingest 2"]) turns.take("loud", LARGE, () => done.push(name));
  heavy("upsert 3");
  await waitFor(() => done.length === 3, { message: "the ingests wait for the upsert" });
  t.strictSame(done, ["upsert 1", "ingest 1", "ingest 2"]);
  for (const count of [4, 5]) {
    open();
    await waitFor(() => done.length === count, { message: "the next upsert has no turn" });
  }
  t.strictSame(done.slice(3), ["upsert 2", "upsert 3"]);
});

t.test(
  "turns - among others each work is followed by an equally long pause; alone there is none",
  async (t) => {
    /** The waits before each turn of three bodies, and after the last. */
    const waits = (workMs: number, isShared: boolean) => {
      let ms = 1_000_000;
      const waited: number[] = [];
      const queue: Array<() => void> = [];
      const later = (work: () => void, wait: number) => {
        waited.push(wait);
        queue.push(work);
      };
      const turns = new BodyTurns({ now: () => ms, later });
      if (isShared) turns.take("quiet", 1, () => {});
      for (let n = 0; n < 3; n++) {
        turns.take("loud", LARGE, () => {
          ms += workMs;
        });
      }
      for (let work = queue.shift(); work !== undefined; work = queue.shift()) work();
      return waited;
    };
    t.strictSame(waits(30, false), [0, 0, 0, 0]);
    t.strictSame(waits(30, true), [0, 30, 30, 30]);
    t.strictSame(waits(LIMITS.bodyPauseMs + 1, true), [0, ...Array(3).fill(LIMITS.bodyPauseMs)]);
  },
);

t.test("turns - the waiting bytes are bounded; the work of a single sender starts immediately", async (t) => {
  const half = LIMITS.bufferedBodyBytes / 2;
  const { done, send, pass } = scene();
  send("quiet", 1);
  t.ok(send("loud", half, "first"));
  t.notOk(send("loud", LARGE, "refused"));
  t.ok(send("other", LARGE, "other"), "another has room");
  pass(LIMITS.senderActiveMs);
  t.ok(send("loud", LARGE, "first of a pair"), "no other sender has sent for long");
  await waitFor(() => done.length === 4, { message: "all had their turn" });
  t.strictSame(done, ["quiet", "first of a pair", "first", "other"]);
  t.ok(send("loud", half, "again"), "there is room again");
});
