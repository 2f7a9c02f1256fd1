import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { ProgramConfig } from "#contract/platform";
import { encodeId } from "#domain";
import { createLog } from "#runtime";
import { DISPLAY_CONTENT, isolation, testServers } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { ensureTopology } from "../streams/topology.ts";
import { countConfigMessages, publishNewerConfig } from "./publish-newer-config.ts";

const TOPOLOGY = { partitions: 1, maxBytes: 2 ** 24, linkMaxBytes: 2 ** 24 };

async function setUp(t: Test) {
  const stream = await connectStream({
    url: (await testServers()).natsUrl,
    name: "test",
    prefix: isolation(),
    log: createLog({ service: "test", level: "fatal" }),
  });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  const id = encodeId("lp", randomUUID());
  const subject = `${stream.prefix}config.loyalty-program.${id}`;
  const held = async () => {
    const message = await stream.manager.streams.getMessage(`${stream.prefix}CONFIG`, {
      last_by_subj: subject,
    });
    return message?.json<ProgramConfig>();
  };
  /** Returns whether it was stored. */
  const publish = async (revision: number, terms = "") =>
    (await publishNewerConfig(stream, program(id, revision, terms))).held < revision;
  return { stream, subject, held, publish };
}

function program(id: string, revision: number, terms: string): ProgramConfig {
  const record = {
    name: `program ${revision}`,
    qualifying_threshold: 5,
    reward_config: { type: "refund" as const },
    display_content: { ...DISPLAY_CONTENT, terms },
    created_at: "2026-03-01T10:00:00Z",
    updated_at: "2026-03-01T10:00:00Z",
  };
  return { v: 1, kind: "loyalty-program", id, revision, record };
}

t.test("publish newer config - the stream never goes back, and a repetition stores nothing", async (t) => {
  const { held, publish } = await setUp(t);
  t.equal(await publish(2), true);
  t.equal(await publish(2), false);
  t.equal(await publish(1), false);
  t.match(await held(), { revision: 2 });
  t.equal(await publish(10), true);
  t.match(await held(), { revision: 10 });
});

t.test(
  "publish newer config - any number of concurrent calls, in any order, end with the newest",
  async (t) => {
    const { held, publish, stream } = await setUp(t);
    const revisions = [3, 1, 5, 2, 4];
    const published = await Promise.allSettled(revisions.map((revision) => publish(revision)));
    t.equal(published[2]?.status, "fulfilled", "the newest is overtaken by those before it only");
    t.match(await held(), { revision: 5 });
    t.equal(await countConfigMessages(stream), 1);
  },
);

t.test("publish newer config - a purged stream accepts the same revision again immediately", async (t) => {
  const { held, publish, stream } = await setUp(t);
  await publish(1);
  await stream.manager.streams.purge(`${stream.prefix}CONFIG`);
  t.equal(await countConfigMessages(stream), 0);
  t.equal(await publish(1), true);
  t.match(await held(), { revision: 1 });
  await stream.manager.streams.delete(`${stream.prefix}CONFIG`);
  await t.rejects(publish(1));
  await t.rejects(countConfigMessages(stream));
  await ensureTopology(stream, TOPOLOGY);
  t.equal(await publish(1), true);
});

t.test("publish newer config - another publisher's message under the subject is overwritten", async (t) => {
  const { held, publish, stream, subject } = await setUp(t);
  for (const garbage of ["{", "null", '{"revision":"7"}']) {
    await stream.jetstream.publish(subject, garbage);
    await publish(1);
    t.match(await held(), { revision: 1 });
  }
});

t.test("publish newer config - the largest record can be looked at as well", async (t) => {
  const { held, publish } = await setUp(t);
  const terms = "\u0001".repeat(140_000);
  t.equal(await publish(1, terms), true);
  t.equal(await publish(1, terms), false);
  t.equal(await publish(2, terms), true);
  t.match(await held(), { revision: 2 });
});
