import { setImmediate as loopTurn } from "node:timers/promises";
import t from "tap";
import { LIMITS } from "#contract";
import { waitFor } from "#test-support";
import { BodyTurns } from "./body-turns.ts";

const LARGE = LIMITS.largeBodyBytes;

/** Turns whose time stands still but for the work, and what has been worked on. */
function scene(workMs = 0) {
  let ms = 1_000_000;
  const done: string[] = [];
  const turns = new BodyTurns(() => ms);
  const send = (sender: string, bytes: number, name = sender) =>
    turns.take(sender, bytes, () => {
      ms += workMs;
      done.push(name);
    });
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

t.test("turns - beside others a pause as long as the work follows; alone there is none", async (t) => {
  const alone = scene(LIMITS.bodyPauseMs);
  for (let n = 0; n < 3; n++) alone.send("loud", LARGE);
  for (let n = 0; n < 3; n++) await loopTurn();
  t.equal(alone.done.length, 3, "a turn of the loop each");
  const shared = scene(LIMITS.bodyPauseMs);
  shared.send("quiet", 1);
  for (let n = 0; n < 3; n++) shared.send("loud", LARGE);
  const startedAt = performance.now();
  await waitFor(() => shared.done.length === 3, { message: "all had their turn" });
  t.ok(performance.now() - startedAt >= LIMITS.bodyPauseMs - 2, "timers come at their time, or later");
});

t.test("turns - what waits is bounded: beside others it is refused, alone it is worked on at once", async (t) => {
  const half = LIMITS.bufferedBodyBytes / 2;
  const { done, send, pass } = scene();
  send("quiet", 1);
  t.ok(send("loud", half, "first"));
  t.notOk(send("loud", LARGE, "refused"));
  t.ok(send("other", LARGE, "other"), "another has room");
  pass(LIMITS.senderActiveMs);
  t.ok(send("loud", LARGE, "first of a pair"), "nobody else has sent for long");
  await waitFor(() => done.length === 4, { message: "all had their turn" });
  t.strictSame(done, ["quiet", "first of a pair", "first", "other"]);
  t.ok(send("loud", half, "again"), "there is room again");
});
