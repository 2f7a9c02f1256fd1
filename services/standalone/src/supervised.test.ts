import { EventEmitter, once } from "node:events";
import t from "tap";
import type { Exit } from "#embedded";
import { waitFor } from "#test-support";
import { type Running, Supervised } from "./supervised.ts";

/** A child that ends when it is told to. */
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

function supervise(start: (children: FakeChild[]) => Promise<FakeChild>) {
  const children: FakeChild[] = [];
  const said: string[] = [];
  const given: Error[] = [];
  const supervised = new Supervised<FakeChild>({
    name: "part",
    start: () => start(children),
    say: (message) => said.push(message),
    onRestart: () => {},
    onGiveUp: (error) => given.push(error),
    logFile: "part.log",
  });
  return { children, said, given, supervised };
}

const startNext = async (children: FakeChild[]): Promise<FakeChild> => {
  const child = new FakeChild(children.length + 1);
  children.push(child);
  return child;
};

t.test("supervised - a child that ends by itself is started again", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  children[0]?.crash();
  await waitFor(() => supervised.current?.pid === 2, { message: "the second child" });
  t.strictSame(said, ["part exited with 1; starting it again in 200 ms", "part is back (process 2)"]);
  await supervised.stop();
});

t.test("supervised - a child that is stopped stays so", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  await supervised.stop();
  t.equal(children.length, 1);
  t.equal(children[0]?.stops, 1);
  t.strictSame(said, []);
});

t.test("supervised - a stop while it waits to start again starts nothing", async (t) => {
  const { children, said, supervised } = supervise(startNext);
  await supervised.start();
  children[0]?.crash();
  await waitFor(() => said.length === 1, { message: "the wait has begun" });
  await supervised.stop();
  t.equal(children.length, 1);
});

t.test(
  "supervised - five ends within a minute are given up, with a line that says where to look",
  async (t) => {
    const { children, given, supervised } = supervise(async (children) => {
      if (children.length > 0) throw new Error("no luck");
      return startNext(children);
    });
    await supervised.start();
    children[0]?.crash();
    await waitFor(() => given.length > 0, { message: "given up" });
    t.match(
      given[0]?.message,
      /^part ended 5 times within a minute .* did not start \(no luck\); see part.log$/,
    );
  },
);

t.test("supervised - a first start that fails is the caller's", async (t) => {
  const { given, supervised } = supervise(async () => {
    throw new Error("no luck");
  });
  await t.rejects(supervised.start(), { message: "no luck" });
  t.strictSame(given, []);
});
