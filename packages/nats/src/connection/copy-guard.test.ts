import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { connectStream, type Stream } from "./connect.ts";
import { askOwners, CopyGuard } from "./copy-guard.ts";

const log = createLog({ service: "test", level: "fatal" });

/** A process of a database: its partitions, and whether it was let in. */
class Process {
  readonly guard: CopyGuard;
  owned = 0;

  constructor(stream: Stream, database: string) {
    this.guard = new CopyGuard({
      stream,
      side: "publisher",
      readDatabase: async () => database,
      owned: () => this.owned,
    });
  }

  /**
   * Takes a partition over, which takes a while. On a machine too busy for an answer within 250 ms, it asks again, as
   * a service's next round does.
   * @returns whether it was let in
   */
  async begins(takingMs = 20): Promise<boolean> {
    for (;;) {
      try {
        await this.guard.whileAlone(() => delay(takingMs));
        this.owned++;
        return true;
      } catch (error) {
        const { message } = error as Error;
        if (/another database/.test(message)) return false;
        if (!message.startsWith("NATS did not bring")) throw error;
      }
    }
  }
}

async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const connect = async (prefix: string, database: string) => {
    const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
    t.teardown(() => stream.close());
    return new Process(stream, database);
  };
  const ask = async (prefix: string) => {
    const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
    try {
      return await askOwners(stream, "publisher");
    } finally {
      await stream.close();
    }
  };
  return { connect, ask };
}

t.test("copy guard - of two that begin together at most one is let in, in either order", async (t) => {
  const { connect } = await setUp(t);
  const begins = async (i: number) => {
    const prefix = isolation();
    const [a, b] = [await connect(prefix, "a"), await connect(prefix, "b")];
    const begin = async (one: Process, afterMs: number) => {
      await delay(afterMs);
      return one.begins();
    };
    // The process with the higher name begins between 300 ms before and 300 ms after the other.
    const shift = (i - 20) * 15;
    const isIn = await Promise.all([begin(a, Math.max(0, shift)), begin(b, Math.max(0, -shift))]);
    t.equal(isIn.filter(Boolean).length, 1, `${shift} ms apart: ${isIn}`);
  };
  // Ten pairs at a time: more would delay each other's answers in this one process.
  for (let first = 0; first < 40; first += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => begins(first + i)));
  }
});

t.test(
  "copy guard - it answers while it takes its first partition over, and until it has none",
  async (t) => {
    const { connect } = await setUp(t);
    const prefix = isolation();
    const [a, b, another] = [
      await connect(prefix, "a"),
      await connect(prefix, "b"),
      await connect(prefix, "a"),
    ];
    const taking = a.begins(1_500);
    await delay(600);
    t.notOk(await b.begins(), "the other is about to own one");
    await t.rejects(
      b.guard.assertAlone(),
      /another database own partitions of these streams \(a; this one is b\)/,
    );
    t.ok(await another.begins(), "a second process of the same database");
    t.ok(await taking);
    a.owned = 0;
    t.notOk(await b.begins(), "the second one still has one");
    another.owned = 0;
    t.ok(await b.begins(), "neither has any");
    t.notOk(await a.begins(), "and a process that was let in before has to ask again");
  },
);

t.test("copy guard - a process that could not take its partition over is not in", async (t) => {
  const { connect } = await setUp(t);
  const prefix = isolation();
  const [a, b] = [await connect(prefix, "a"), await connect(prefix, "b")];
  const failing = a.guard.whileAlone(() => Promise.reject(new Error("the stream is gone")));
  await t.rejects(failing, /the stream is gone/);
  t.ok(await b.begins());
  await b.guard.assertAlone();
});

t.test(
  "regression - a copy that asked again and again kept another process of production out, and doctor took it for an owner",
  async (t) => {
    const { connect, ask } = await setUp(t);
    const prefix = isolation();
    const [first, second, ...copies] = (await Promise.all(
      ["production", "production", "a copy", "a copy", "a copy"].map((database) => connect(prefix, database)),
    )) as [Process, Process, ...Process[]];
    t.ok(await first.begins());
    let isOver = false;
    const asking = copies.map(async (copy) => {
      while (!isOver) t.notOk(await copy.begins());
    });
    await delay(50);
    for (let n = 0; n < 8; n++) t.strictSame(await ask(prefix), ["production"]);
    t.ok(await second.begins(), "of the database that is in");
    isOver = true;
    await Promise.all(asking);
  },
);
