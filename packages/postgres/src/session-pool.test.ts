import t, { type Test } from "tap";
import { LIMITS } from "#contract";
import type { Session } from "./session.ts";
import { Line, SessionPool } from "./session-pool.ts";

/** A pool of this many fake sessions, and work in it that ends on command. */
function makePool(t: Test, max: number) {
  const pool = new SessionPool(max, () => ({ lost: false, end: async () => {} }) as Session);
  // Refuses the waiting callers, whose timers would keep the process alive.
  t.teardown(() => void pool.close(0));
  const started: string[] = [];
  const ends: Array<[string, () => void]> = [];
  const begin = (line: Line) => {
    const name = line.owner ?? "own";
    const work = pool.use(line, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push([name, resolve]));
    });
    work.catch(() => {});
    return work;
  };
  return {
    pool,
    started,
    /** Begins work of this line this many times. */
    begin: (line: Line, times = 1) => Array.from({ length: times }, () => begin(line)),
    /** Ends the work that was started first, of this line or of any, and lets others start. */
    async end(owner?: string) {
      const at = owner === undefined ? 0 : ends.findIndex(([name]) => name === owner);
      ends.splice(at, 1)[0]?.[1]();
      await settled();
    },
    running: (owner: string) => ends.filter(([name]) => name === owner).length,
  };
}

/** Lets everything happen that needs no outside event. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Stops the time of this test until it is moved. */
function holdTime(t: Test) {
  const timers = new Set<() => void>();
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const delays: number[] = [];
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    delays.push(ms);
    timers.add(run);
    return run;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((run: () => void) => timers.delete(run)) as unknown as typeof clearTimeout;
  t.teardown(() => Object.assign(globalThis, { setTimeout: realSet, clearTimeout: realClear }));
  const passOne = () => {
    const [run] = timers;
    if (run !== undefined) timers.delete(run);
    run?.();
  };
  return { delays, timers, passOne };
}

t.test("pool - one owner never has all connections, and another finds one free", async (t) => {
  const { begin, running } = makePool(t, 8);
  begin(new Line("loud"), 60);
  await settled();
  t.equal(running("loud"), 6);
  begin(new Line("quiet"));
  await settled();
  t.equal(running("quiet"), 1, "immediately");
});

t.test("pool - owners that are there together have equal shares in the end", async (t) => {
  const { begin, end, running } = makePool(t, 8);
  const [loud, late] = [new Line("loud"), new Line("late")];
  begin(loud, 60);
  begin(late, 60);
  await settled();
  t.equal(running("loud"), 6);
  for (let i = 0; i < 4; i++) await end("loud");
  const shares = [running("loud"), running("late")];
  t.ok(Math.max(...shares) <= 4 && Math.min(...shares) >= 3, String(shares));
  begin(new Line("third"));
  await settled();
  t.equal(running("third"), 1, "the last free one was left");
});

t.test("pool - lines take turns: a short one does not wait behind a long one", async (t) => {
  const { begin, end, started } = makePool(t, 3);
  const [loud, quiet, own] = [new Line("loud"), new Line("quiet"), new Line()];
  begin(new Line("first"));
  begin(new Line("second"));
  begin(new Line("third"));
  begin(loud, 20);
  begin(quiet, 2);
  begin(own);
  await settled();
  for (let i = 0; i < 3; i++) await end();
  t.strictSame(started, ["first", "second", "third", "loud", "quiet", "own"]);
});

t.test("pool - the process's own work takes every free session, without a share", async (t) => {
  const { begin, running } = makePool(t, 3);
  begin(new Line(), 3);
  await settled();
  t.equal(running("own"), 3);
});

t.test("pool - all that wait get a connection in the end", async (t) => {
  for (const max of [1, 2, 3, 8]) {
    const { begin, end, started } = makePool(t, max);
    const lines = ["a", "b", "c", undefined].map((owner) => new Line(owner));
    const work = lines.flatMap((line) => begin(line, 25));
    await settled();
    for (let i = 0; i < 100; i++) await end();
    await Promise.all(work);
    t.equal(started.length, 100, `${max} connections`);
  }
});

t.test("pool - beyond its line's bound an owner is refused, and others are not", async (t) => {
  const { begin, running } = makePool(t, 8);
  const loud = new Line("loud");
  begin(loud, 6 + LIMITS.waitingPerLine);
  await settled();
  const [refused] = begin(loud);
  await t.rejects(refused as Promise<void>, { code: "LINE_FULL" });
  const own = new Line();
  begin(own, LIMITS.waitingPerLine + 10);
  begin(new Line("quiet"));
  await settled();
  t.equal(running("own"), 2, "the others of its own work wait");
});

t.test("pool - a caller that waits for too long is refused, the first of the line first", async (t) => {
  const { begin, end, started } = makePool(t, 1);
  const { delays, timers, passOne } = holdTime(t);
  const line = new Line("loud");
  const [, second, third] = begin(line, 3);
  begin(new Line());
  t.strictSame(delays, [LIMITS.lineWaitMs, LIMITS.lineWaitMs], "the process's own work waits without an end");
  passOne();
  await t.rejects(second as Promise<void>, { code: "LINE_FULL" });
  await end();
  await end();
  t.strictSame(started.sort(), ["loud", "loud", "own"]);
  await end();
  await third;
  t.equal(timers.size, 0);
});

t.test("pool - closing refuses every line", async (t) => {
  const { pool, begin, end } = makePool(t, 1);
  const [first] = begin(new Line("a"));
  const waiting = [...begin(new Line("b"), 2), ...begin(new Line())];
  const closing = pool.close(LIMITS.lineWaitMs);
  for (const work of waiting) await t.rejects(work, { code: "CONNECTION_ENDED" });
  await settled();
  await end();
  await Promise.all([first, closing]);
});
