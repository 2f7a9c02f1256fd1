import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { FLOW } from "#contract";
import { ExpectedWait } from "#postgres";
import { createLog } from "#runtime";
import { waitFor } from "#test-support";
import { LateTakeOver } from "./late-take-over.ts";

const log = createLog({ service: "test", level: "fatal" });

function setUp() {
  const reading = new Set<number>();
  const parts = { isReady: false, error: new ExpectedWait("soon") as Error, during: async () => {} };
  const late = new LateTakeOver(
    {
      hop: FLOW.settlement,
      feedOf: (partition) => (reading.has(partition) ? { last: 0, fault: undefined } : undefined),
      takeOver: async (partition) => {
        if (!parts.isReady) throw parts.error;
        await parts.during();
        reading.add(partition);
      },
      remove: async (partition) => void reading.delete(partition),
      stop: async () => reading.clear(),
    },
    log,
  );
  return { late, reading, parts };
}

t.test("late take-over - a partition is read as soon as it may be, and says why it is not", async (t) => {
  const { late, reading, parts } = setUp();
  t.teardown(() => late.stop());
  await late.takeOver(3);
  t.strictSame([late.feedOf(3), late.feedOf(4)], [{ fault: "soon" }, undefined]);
  parts.error = new Error("there are 7 left");
  await waitFor(() => late.feedOf(3)?.fault === "there are 7 left", { message: "it is not tried again" });
  parts.isReady = true;
  await waitFor(() => reading.has(3), { message: "it is not read" });
  t.equal(late.feedOf(3)?.fault, undefined);
});

t.test("late take-over - one that was taken away meanwhile is not read", async (t) => {
  const { late, reading, parts } = setUp();
  t.teardown(() => late.stop());
  await late.takeOver(3);
  await late.remove(3, true);
  parts.isReady = true;
  let begin!: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  parts.during = () => begun;
  const taking = late.takeOver(4);
  await late.remove(4, false);
  begin();
  await taking;
  t.strictSame([...reading], []);
  parts.isReady = false;
  await late.takeOver(5);
  await late.stop();
  parts.isReady = true;
  t.strictSame([...reading], []);
});

t.test("regression - an attempt that took longer than the interval was undone by the next one", async (t) => {
  const { late, reading, parts } = setUp();
  t.teardown(() => late.stop());
  let attempts = 0;
  parts.isReady = true;
  parts.during = async () => {
    attempts++;
    await delay(1_200);
  };
  await late.takeOver(3);
  t.strictSame([[...reading], attempts], [[3], 1]);
  await delay(600);
  t.strictSame([[...reading], attempts], [[3], 1]);
});

t.test(
  "late take-over - one that was taken away and gained again is taken over for the new ownership",
  async (t) => {
    const { late, reading, parts } = setUp();
    t.teardown(() => late.stop());
    let begin!: () => void;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let attempts = 0;
    parts.isReady = true;
    parts.during = () => (++attempts === 1 ? begun : Promise.resolve());
    const first = late.takeOver(3);
    await late.remove(3, false);
    await late.takeOver(3);
    begin();
    await first;
    await waitFor(() => reading.has(3), { message: "it is not read" });
    t.equal(attempts, 2);
    t.equal(late.feedOf(3)?.fault, undefined);
  },
);
