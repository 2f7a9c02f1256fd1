import t from "tap";
import { waitFor } from "#test-support";
import { StartError } from "./start-error.ts";
import { untilServed, Waiting } from "./waiting.ts";

const away = new StartError("away", "it is away", { passes: true });
const refused = new StartError("refused", "wrong password");
const passes = (error: unknown): boolean => error instanceof StartError && error.passes;

t.test("waiting - tries until it works, and says a reason once", async (t) => {
  const said: string[] = [];
  let attempts = 0;
  const attempt = async () => {
    attempts++;
    if (attempts < 3) throw away;
    return attempts;
  };
  const patience = { signal: new AbortController().signal, onWait: (reason: string) => said.push(reason) };
  t.equal(await untilServed(attempt, passes, patience), 3);
  t.strictSame(said, ["it is away"]);
});

t.test("waiting - what does not pass is thrown at once, also after what did", async (t) => {
  const faults = [away, refused];
  const attempt = () => Promise.reject(faults.shift());
  const patience = { signal: new AbortController().signal, onWait: () => {} };
  await t.rejects(untilServed(attempt, passes, patience), { code: "refused" });
  t.equal(faults.length, 0);
});

t.test("waiting - who is told to stop waits for nothing, not even an attempt under way", async (t) => {
  const stop = new AbortController();
  let begun = false;
  const attempt = () => {
    begun = true;
    return new Promise<never>(() => {});
  };
  const served = untilServed(attempt, passes, { signal: stop.signal, onWait: () => {} });
  await waitFor(() => begun, { message: "the attempt" });
  stop.abort(new Error("told to stop"));
  await t.rejects(served, { message: "told to stop" });
});

t.test("waiting - an attempt without an answer is left alone", async (t) => {
  let attempts = 0;
  const said: string[] = [];
  const attempt = () => (++attempts === 1 ? new Promise<never>(() => {}) : Promise.resolve("served"));
  const signal = new AbortController().signal;
  const onWait = (reason: string) => said.push(reason);
  t.equal(await untilServed(attempt, passes, { signal, onWait, attemptMs: 10 }), "served");
  t.strictSame(said, ["no answer within 0.01 s"]);
});

t.test("waiting - is described while it lasts; what was waited for once may go away again", async (t) => {
  const told: string[] = [];
  let isBack = false;
  const waiting = new Waiting(new AbortController().signal, (...words) => told.push(words.join(": ")));
  t.notOk(waiting.passes(away), "nothing was waited for");
  const noMessage = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
  const served = waiting.until(
    "PostgreSQL",
    () => (isBack ? Promise.resolve(1) : Promise.reject(noMessage)),
    (error) => error === noMessage,
  );
  await waitFor(() => waiting.described, { message: "it waits" });
  t.equal(waiting.described, "PostgreSQL (ECONNREFUSED)");
  isBack = true;
  t.equal(await served, 1);
  t.equal(waiting.described, undefined);
  t.strictSame(told, ["PostgreSQL: ECONNREFUSED"]);
  t.ok(waiting.passes(noMessage));
  t.notOk(waiting.passes(refused));
});
