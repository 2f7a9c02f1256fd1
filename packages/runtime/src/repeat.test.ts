import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { waitFor } from "#test-support";
import { createLog } from "./log.ts";
import { repeat, restingWhenIdle } from "./repeat.ts";

const log = createLog({ service: "test", level: "silent" });
const NEVER_MS = 1_000_000;

t.test("repeat - a kick during a run makes one more follow, however many there were", async (t) => {
  let runs = 0;
  let open: (value?: unknown) => void = () => {};
  const loop = repeat({
    name: "test",
    everyMs: NEVER_MS,
    work: () => {
      runs++;
      return new Promise((resolve) => {
        open = resolve;
      });
    },
    failed: "it failed",
    log,
  });
  for (let i = 0; i < 3; i++) loop.kick();
  open();
  await waitFor(() => runs === 2, { message: "no second run" });
  open();
  await new Promise(setImmediate);
  t.equal(runs, 2);
  await loop.stop();
});

t.test("repeat - work that finds nothing for a while runs seldom, until it finds something", async () => {
  let runs = 0;
  let isBusy = true;
  const options = { name: "test", everyMs: 1, quietMs: NEVER_MS, failed: "it failed", log };
  const loop = repeat({ ...options, work: async () => ++runs > 0 && isBusy });
  await waitFor(() => runs > 60, { message: "it looks often while there is something" });
  isBusy = false;
  let before = 0;
  const isStill = async () => {
    before = runs;
    await delay(100);
    return runs === before;
  };
  await waitFor(isStill, { message: "it looks seldom" });
  isBusy = true;
  loop.kick();
  await waitFor(() => runs > before + 5, { message: "it looks often again" });
  await loop.stop();
});

t.test("repeat - it runs without a kick, and again after a failure", async (t) => {
  let runs = 0;
  const loop = repeat({
    name: "test",
    everyMs: 5,
    work: async () => {
      if (++runs === 1) throw new Error("not yet");
    },
    failed: "it failed",
    log,
  });
  await waitFor(() => runs > 2, { message: "it does not run" });
  await loop.stop();
  const after = runs;
  loop.kick();
  await new Promise(setImmediate);
  t.equal(runs, after, "not once it is stopped");
});

t.test("repeat - stop tells the run under way and waits for it", async (t) => {
  let isOver = false;
  const loop = repeat({
    name: "test",
    everyMs: NEVER_MS,
    work: async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await new Promise(setImmediate);
      isOver = true;
    },
    failed: "it failed",
    log,
  });
  await loop.stop();
  t.ok(isOver);
});

t.test("repeat - after failures the waits are those asked for, and no kick shortens them", async (t) => {
  const waits: number[] = [];
  const loop = repeat({
    name: "test",
    everyMs: NEVER_MS,
    againMs: (failures) => {
      waits.push(failures);
      return failures < 3 ? 1 : NEVER_MS;
    },
    work: async () => {
      throw new Error("no");
    },
    failed: "it failed",
    log,
  });
  await waitFor(() => waits.length === 3, { message: "it is not tried again" });
  loop.kick();
  await new Promise(setImmediate);
  t.strictSame(waits, [1, 2, 3]);
  await loop.stop();
});

t.test(
  "repeat - work that looks in vain rests in proportion, and not after it has done something",
  async (t) => {
    let looks = 0;
    let hasDone = true;
    const work = restingWhenIdle(0.05, async () => {
      looks++;
      await delay(20);
      return hasDone;
    });
    const { signal } = new AbortController();
    await work(signal);
    await work(signal);
    t.equal(looks, 2);
    hasDone = false;
    await work(signal);
    await work(signal);
    t.equal(looks, 3, "some 400 ms of rest");
  },
);

t.test(
  "regression - a look that waited for a frozen database was followed by minutes without one",
  async (t) => {
    let at = 0;
    let looks = 0;
    const look = async () => {
      looks++;
      at += 20_000;
      return false;
    };
    const work = restingWhenIdle(0.05, look, () => at);
    const { signal } = new AbortController();
    await work(signal);
    at += 59_000;
    await work(signal);
    t.equal(looks, 1, "it rests");
    at += 2_000;
    await work(signal);
    t.equal(looks, 2, "not for 20 times as long as it looked");
  },
);
