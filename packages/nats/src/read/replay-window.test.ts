import { setTimeout as delay } from "node:timers/promises";
import { AckPolicy } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { FLOW } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { subjectName } from "../streams/stream-names.ts";
import { readStreamState } from "../streams/stream-state.ts";
import { ensureTopology } from "../streams/topology.ts";
import { ReplayWindow } from "./replay-window.ts";

const HOP = FLOW.outcomes;
const MAX_BYTES = 2 ** 21;
const SECOND = 1 / 60;
const log = createLog({ service: "test", level: "fatal" });

async function setUp(t: Test) {
  const { natsUrl } = await testServers();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { partitions: 1, maxBytes: MAX_BYTES, linkMaxBytes: MAX_BYTES });
  const publish = async (count: number, bytes = 10) => {
    for (let n = 0; n < count; n++) {
      await stream.jetstream.publish(subjectName(stream, HOP, 0), Buffer.alloc(bytes));
    }
  };
  const state = () => readStreamState(stream, HOP, 0);
  const { created } = await state();
  return { stream, publish, state, created };
}

t.test(
  "replay window - finished messages stay while they are young, and are dropped when they are old",
  async (t) => {
    const { stream, publish, state, created } = await setUp(t);
    const window = new ReplayWindow(stream, 2 * SECOND);
    await publish(3);
    await delay(1_500);
    await publish(2);
    t.ok(await window.purge(HOP, 0, 5, created));
    t.equal((await state()).first, 1, "all are younger than two seconds");
    await delay(1_000);
    t.ok(window.isDue(HOP, 0, 5), "some have grown older meanwhile");
    await window.purge(HOP, 0, 5, created);
    t.equal((await state()).first, 4, "the three that are older");
    await delay(2_100);
    await window.purge(HOP, 0, 4, created);
    t.match(await state(), { first: 5, messages: 1 }, "unfinished messages stay, however old they are");
    // It looks for old messages a bounded number of times in a window.
    await delay(100);
    await window.purge(HOP, 0, 5, created);
    t.equal((await state()).messages, 0);
    t.notOk(window.isDue(HOP, 0, 5), "nothing is left to look at");
  },
);

t.test("replay window - without one, finished messages are dropped immediately", async (t) => {
  const { stream, publish, state, created } = await setUp(t);
  const window = new ReplayWindow(stream, 0);
  t.notOk(window.isDue(HOP, 0, 0), "nothing is done");
  await publish(3);
  await window.purge(HOP, 0, 2, created);
  t.equal((await state()).first, 3);
});

t.test(
  "replay window - kept messages take at most half of the stream's bytes, and no room of unfinished ones",
  async (t) => {
    const { stream, publish, state, created } = await setUp(t);
    const window = new ReplayWindow(stream, 60);
    await publish(30, 50_000);
    await window.purge(HOP, 0, 5, created);
    t.equal((await state()).first, 6, "only finished messages are dropped");
    await window.purge(HOP, 0, 30, created);
    const { bytes, messages } = await state();
    t.ok(bytes <= MAX_BYTES / 2, `${bytes} bytes`);
    t.ok(bytes + 2 * 50_100 > MAX_BYTES / 2, `${messages} messages stay, as many as there is room for`);
    for (let n = 0; n < 40; n++) {
      await publish(1, 50_000);
      await window.purge(HOP, 0, 31 + n, created);
    }
    t.ok((await state()).bytes <= MAX_BYTES / 2, "a stream that is read never fills");
  },
);

t.test("replay window - a recreated stream is left alone", async (t) => {
  const { stream, publish, state } = await setUp(t);
  await publish(3);
  t.notOk(await new ReplayWindow(stream, 0).purge(HOP, 0, 3, "then"));
  t.equal((await state()).messages, 3);
});

t.test(
  "replay window - while the database is away, kept messages make room for new ones, as late as possible",
  async (t) => {
    const { stream, publish, state, created } = await setUp(t);
    const window = new ReplayWindow(stream, 60);
    await publish(19, 50_000);
    await window.purge(HOP, 0, 15, created);
    await window.makeRoom(HOP, [0]);
    t.equal((await state()).first, 1, "there is room");
    const come = async (count: number) => {
      for (let n = 0; n < count; n++) {
        await publish(1, 50_000);
        await window.makeRoom(HOP, [0]);
      }
    };
    await come(16);
    const { first, bytes } = await state();
    t.ok(first > 1 && first < 16, `${first} is the first`);
    t.ok(bytes > MAX_BYTES * 0.7, `${bytes} bytes: it drops as late as it can`);
    await come(20);
    t.match(await state(), { first: 16, last: 55 }, "it is full of unfinished messages only");
  },
);

t.test("replay window - room is made of no message that another process may still have to do", async (t) => {
  const { stream, publish, state, created } = await setUp(t);
  const fill = async (window: ReplayWindow) => {
    await publish(19, 50_000);
    await window.purge(HOP, 0, 19, created);
    await publish(19, 50_000);
  };
  const window = new ReplayWindow(stream, 60);
  await fill(window);
  const { name, first } = await state();
  await new ReplayWindow(stream, 60).makeRoom(HOP, [0]);
  t.equal(
    (await state()).first,
    first,
    "a process that has not read it does not know which messages are finished",
  );
  await stream.manager.consumers.add(name, { ack_policy: AckPolicy.None, name: "heir", mem_storage: true });
  await window.makeRoom(HOP, [0]);
  t.equal((await state()).first, first, "a process reads it");
  const { streams } = stream.manager;
  const info = streams.info.bind(streams);
  streams.info = async (name) => {
    streams.info = info;
    const answer = await info(name);
    return { ...answer, state: { ...answer.state, consumer_count: 0 } };
  };
  await window.makeRoom(HOP, [0]);
  t.equal((await state()).first, first, "a node that was cut off does not know that a process reads it");
  await stream.manager.consumers.delete(name, "heir");
  window.forget(HOP, 0);
  await window.makeRoom(HOP, [0]);
  t.equal((await state()).first, first, "it was taken over at another place since");
  await window.purge(HOP, 0, 2, created);
  await window.makeRoom(HOP, [0]);
  t.ok((await state()).first <= 3);
});

t.test(
  "regression - a purge that ended after its partition was taken over again reported the old progress",
  async (t) => {
    const { stream, publish, state, created } = await setUp(t);
    await publish(30, 60_000);
    // An hour, so that nothing is old: only a full stream drops messages.
    const window = new ReplayWindow(stream, 60);
    const purging = window.purge(HOP, 0, 20, created);
    window.forget(HOP, 0);
    t.match(await purging, { created }, "it is the same stream");
    const { first } = await state();
    t.equal(first, 1, "the present database may lack the work of the previous one");
    await window.makeRoom(HOP, [0]);
    t.equal((await state()).first, 1);
    await window.purge(HOP, 0, 2, created);
    const again = window.purge(HOP, 0, 3, created);
    window.forget(HOP, 0);
    await t.resolves(again);
  },
);
