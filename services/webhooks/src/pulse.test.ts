import t from "tap";
import { createLog } from "#runtime";
import { waitFor } from "#test-support";
import { Pulse } from "./pulse.ts";

const log = createLog({ service: "test", level: "silent" });
const NEVER_MS = 1_000_000;

t.test("pulse - a kick during a run makes one more follow, however many there were", async (t) => {
  let runs = 0;
  let open: () => void = () => {};
  const pulse = new Pulse({
    name: "test",
    intervalMs: NEVER_MS,
    spacingMs: 0,
    work: () => {
      runs++;
      return new Promise((resolve) => {
        open = resolve;
      });
    },
    log,
  });
  for (let i = 0; i < 3; i++) pulse.kick();
  open();
  await waitFor(() => runs === 2, { message: "no second run" });
  open();
  await new Promise(setImmediate);
  t.equal(runs, 2);
  await pulse.stop();
});

t.test("pulse - it runs by itself, and again after a failure", async (t) => {
  let runs = 0;
  const pulse = new Pulse({
    name: "test",
    intervalMs: 5,
    spacingMs: 0,
    work: async () => {
      if (++runs === 1) throw new Error("not yet");
    },
    log,
  });
  await waitFor(() => runs > 2, { message: "it does not run" });
  await pulse.stop();
  const after = runs;
  pulse.kick();
  await new Promise(setImmediate);
  t.equal(runs, after, "not once it is stopped");
});
