import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import type { Stream } from "../connection/connect.ts";
import { Pull } from "./pull.ts";

const LIMIT = 8;

/** A consumer at a server, from its reader's view: requests, which it fills in turn. */
class Scene {
  readonly pull: Pull;
  /** The remaining messages of each open request. */
  readonly open: number[] = [];
  looks = 0;
  requests = 0;
  held = 0;
  #delivered = 0;
  #hear: (error: null, message: unknown) => void = () => {};
  #inbox = "";

  constructor() {
    const nats = {
      subscribe: (inbox: string, { callback }: { callback: (error: null, message: unknown) => void }) => {
        this.#inbox = inbox;
        this.#hear = callback;
        return { unsubscribe: () => {} };
      },
      publish: (_subject: string, request: string) => {
        this.requests++;
        this.open.push(JSON.parse(request).batch);
      },
    };
    this.pull = new Pull({
      stream: { nats, inboxPrefix: "_INBOX", jetstream: { apiPrefix: "$JS.API" } } as unknown as Stream,
      name: "stream",
      consumer: "consumer",
      limit: LIMIT,
      room: () => LIMIT - this.held,
      take: () => void this.held++,
      idle: async () => {
        this.looks++;
        await turn();
      },
    });
    this.pull.ended.catch(() => {});
  }

  get asked(): number {
    return this.open.reduce((sum, left) => sum + left, 0);
  }

  deliver(reply = `$JS.ACK.stream.consumer.1.${this.#delivered + 1}.${this.#delivered + 1}.1.0`): void {
    const left = this.open.shift();
    if (left === undefined) return;
    this.#delivered++;
    if (left > 1) this.open.push(left - 1);
    this.#hear(null, { subject: "ingest.0", data: new Uint8Array(), headers: undefined, reply });
  }

  expire(which: number): void {
    if (this.open.length === 0) return;
    const [left] = this.open.splice(which % this.open.length, 1);
    this.say(408, left);
  }

  say(code: number, left = 0): void {
    const headers = { code, description: "", get: () => String(left) };
    this.#hear(null, { subject: this.#inbox, data: new Uint8Array(), headers, reply: "" });
  }

  release(count: number): void {
    for (let n = Math.min(count, this.held); n > 0; n--) {
      this.held--;
      this.pull.released();
    }
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test(
  "pull - never more is asked for than there is room for, and something while there is any",
  async (t) => {
    const steps = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant("deliver" as const), n: fc.nat({ max: LIMIT }) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("release" as const), n: fc.nat({ max: LIMIT }) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const), n: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (history) => {
        const scene = new Scene();
        for (const step of history) {
          if (step.do === "deliver") for (let n = 0; n < step.n; n++) scene.deliver();
          else if (step.do === "release") scene.release(step.n);
          else scene.expire(step.n);
          assert.ok(scene.asked + scene.held <= LIMIT, "too much is requested");
          await turn();
          assert.ok(scene.asked + scene.held <= LIMIT, "too much is requested");
          assert.ok(scene.held === LIMIT || scene.asked > 0, "nothing is asked for");
        }
        scene.pull.end();
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 300) },
    );
    t.pass("random operations");
  },
);

t.test("pull - while a request is open, the next one waits until half of the room is free", async (t) => {
  const scene = new Scene();
  for (let n = 1; n < LIMIT / 2; n++) {
    scene.deliver();
    scene.release(1);
  }
  t.equal(scene.requests, 1);
  scene.deliver();
  scene.release(1);
  t.strictSame(scene.open, [LIMIT / 2, LIMIT / 2], "immediately, to be sent with the publications");
  scene.pull.end();
});

t.test("pull - room that a full reader frees together makes one request", async (t) => {
  const scene = new Scene();
  for (let n = 0; n < LIMIT; n++) scene.deliver();
  scene.release(3);
  await turn();
  t.strictSame(scene.open, [3]);
  scene.pull.end();
});

t.test("pull - when requests were over without a message it looks before it asks", async (t) => {
  const scene = new Scene();
  scene.deliver();
  scene.expire(0);
  t.strictSame([scene.looks, scene.open], [0, [LIMIT - 1]], "one had come");
  scene.expire(0);
  scene.release(1);
  await Promise.resolve();
  t.strictSame([scene.looks, scene.open], [1, []]);
  await turn();
  await turn();
  t.strictSame(scene.open, [LIMIT]);
  scene.pull.end();
});

t.test(
  "pull - anything else that the server says, and a number that does not follow, is a doubt",
  async (t) => {
    for (const code of [400, 409, 503]) {
      const scene = new Scene();
      scene.say(100);
      scene.say(code);
      await t.rejects(scene.pull.ended, new RegExp(`ended: ${code}`));
    }
    for (const reply of ["$JS.ACK.stream.consumer.1.5.2.1.0", "ingest.answer", ""]) {
      const scene = new Scene();
      scene.deliver(reply);
      await t.rejects(scene.pull.ended, /out of order/);
    }
  },
);

t.test(
  "pull - a message tells its place by the subject for its acknowledgement, with a domain and without",
  async (t) => {
    for (const at of ["stream.consumer", "_.hash.stream.consumer", "hub.hash.stream.consumer"]) {
      const scene = new Scene();
      scene.deliver(`$JS.ACK.${at}.1.17.1.1700000000123456789.3${at.includes("hash") ? ".random" : ""}`);
      t.equal(scene.held, 1, at);
      scene.pull.end();
    }
  },
);
