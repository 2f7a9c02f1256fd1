import { EventEmitter, once } from "node:events";
import t from "tap";
import type { Exit } from "#embedded";
import { waitFor } from "#test-support";
import { type Running, Supervised, type SupervisedOptions } from "./supervised.ts";

/** A child that ends when its test says so. */
class FakeChild implements Running {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stops = 0;
  readonly #events = new EventEmitter();

  constructor(pid: number) {
    this.pid = pid;
    this.exited = once(this.#events, "exit").then(([exit]) => exit as Exit);
  }

  crash(): void {
    this.#events.emit("exit", { code: 1, signal: null });
  }

  kill(signal: NodeJS.Signals): void {
    this.#events.emit("exit", { code: null, signal });
  }

  async stop(): Promise<void> {
    this.stops++;
    this.#events.emit("exit", { code: 0, signal: null });
  }
}

type Begun = (child: FakeChild) => void;

/** The child's own faults: it exits with 1, or its start fails with "luck". */
const isOwnFault = (end: Exit | Error): boolean =>
  end instanceof Error ? /luck/.test(end.message) : end.code === 1;

function supervise(
  start: (children: FakeChild[], begun: Begun) => Promise<FakeChild>,
  options: Partial<SupervisedOptions<FakeChild>> = {},
) {
  const children: FakeChild[] = [];
  const said: string[] = [];
  const given: Error[] = [];
  const supervised = new Supervised<FakeChild>({
    name: "part",
    start: (_, begun) => start(children, begun),
    isOwnFault,
    say: (message) => said.push(message),
    onRestart: () => {},
    onGiveUp: (error) => given.push(error),
    logFile: "part.log",
    ...options,
  });
  return { children, said, given, supervised };
}

const AT_ONCE = { pause: () => Promise.resolve() };

const startNext = async (children: FakeChild[]): Promise<FakeChild> => {
  const child = new FakeChild(children.length + 1);
  children.push(child);
  return child;
};

t.test("supervised - a child that ends unexpectedly is started again", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  children[0]?.crash();
  await waitFor(() => supervised.current?.pid === 2, { message: "the second child" });
  t.strictSame(said, ["part exited with 1; starting it again in 200 ms", "part is back (process 2)"]);
  await supervised.stop();
});

t.test("supervised - a stopped child stays stopped", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  await supervised.stop();
  t.equal(children.length, 1);
  t.equal(children[0]?.stops, 1);
  t.strictSame(said, []);
});

t.test("supervised - after a stop during the pause before a restart nothing is started", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  children[0]?.crash();
  await waitFor(() => said.length === 1, { message: "the wait has begun" });
  await supervised.stop();
  t.equal(children.length, 1);
});

t.test(
  "supervised - after five ends within a minute it gives up, with a line that says where to look",
  async (t) => {
    const { children, given, supervised } = supervise(async (children) => {
      if (children.length > 0) throw new Error("no luck");
      return startNext(children);
    }, AT_ONCE);
    await supervised.start();
    children[0]?.crash();
    await waitFor(() => given.length > 0, { message: "given up" });
    t.match(
      given[0]?.message,
      /^part ended 5 times within a minute .* did not start \(no luck\); see part.log$/,
    );
  },
);

t.test(
  "supervised - a child without a fault of its own is restarted for ever, at a bounded pace",
  async (t) => {
    const FAILURES = 8;
    const { children, said, given, supervised } = supervise(async (children) => {
      if (children.length === 0 || said.length > FAILURES) return startNext(children);
      throw new Error("PostgreSQL is away");
    }, AT_ONCE);
    await supervised.start();
    children[0]?.kill("SIGKILL");
    await waitFor(() => supervised.current?.pid === 2, { message: "it is back" });
    t.strictSame(given, []);
    t.equal(said.shift(), "part was ended by SIGKILL; starting it again in 200 ms");
    t.equal(said.pop(), "part is back (process 2)");
    const waits = said.map((line) => Number(/away\); starting it again in (\d+) ms/.exec(line)?.[1]));
    t.strictSame(waits, [400, 800, 1600, 3200, 5000, 5000, 5000, 5000]);
    await supervised.stop();
  },
);

t.test("supervised - only the child's own faults count, not ends that others caused", async (t) => {
  const { children, given, supervised } = supervise(startNext, AT_ONCE);
  await supervised.start();
  for (let end = 1; end <= 6; end++) {
    if (end % 2 === 0) children[end - 1]?.crash();
    else children[end - 1]?.kill("SIGKILL");
    await waitFor(() => supervised.current?.pid === end + 1, { message: `start ${end}` });
  }
  t.strictSame(given, []);
  await supervised.stop();
});

t.test("supervised - a child that is starting can already be asked, and killed", async (t) => {
  let fail: (error: Error) => void = () => {};
  const { children, given, supervised } = supervise(async (children, begun) => {
    const child = await startNext(children);
    if (children.length === 1) return child;
    begun(child);
    return new Promise((_, reject) => {
      fail = reject;
    });
  });
  await supervised.start();
  children[0]?.kill("SIGKILL");
  await waitFor(() => supervised.current?.pid === 2, { message: "the second has begun" });
  fail(new Error("PostgreSQL is away"));
  await waitFor(() => supervised.current === undefined, { message: "it ended" });
  await waitFor(() => supervised.current?.pid === 3, { message: "the third has begun" });
  supervised.callOff();
  fail(new Error("called off"));
  await supervised.stop();
  t.strictSame(given, []);
});

t.test("supervised - the error of a failed first start goes to the caller", async (t) => {
  const { given, supervised } = supervise(async () => {
    throw new Error("no luck");
  });
  await t.rejects(supervised.start(), { message: "no luck" });
  t.strictSame(given, []);
});
