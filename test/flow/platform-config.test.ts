import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { DealConfig, ProgramConfig } from "#contract/platform";
import { decodeId, encodeId } from "#domain";
import { connectStream, ensureTopology, type Stream } from "#nats";
import { createLog } from "#runtime";
import {
  countedWait,
  type Pipeline,
  type PipelineOptions,
  PublisherClient,
  privateServers,
  publishConfig,
  readMetric,
  readStream,
  type ServiceProcess,
  startPipeline,
  startTcpProxy,
  waitFor,
} from "#test-support";

/** Contract, section 8: configuration from the platform reaches the publisher within a second, and its restart. */
const WITHIN_MS = 1_000;

t.setTimeout(400_000);

t.test("programs and deals come, change and go as the platform says", async (t) => {
  const { pipeline, platform } = await startLink(t, { begin: ["edge"] });
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const rewards = await pipeline.start("rewards");

  await t.test("a program is there, with all its fields", async (t) => {
    const message = program(1);
    await shown(platform, message, () => namedInApi(client, message.id, "program 1"));
    const { body } = await client.post("loyalty-program/get", { id: message.id });
    t.strictSame(body, {
      id: message.id,
      name: "program 1",
      qualifying_threshold: 5,
      reward_config: { type: "refund" },
      display_content: DISPLAY_CONTENT,
      created_at: "2026-03-01T10:00:00.000Z",
      updated_at: "2026-03-01T10:00:00.000Z",
    });
  });

  await t.test("changes show within a second", async (t) => {
    const { id } = program(1);
    const times: number[] = [];
    for (let revision = 1; revision <= 9; revision++) {
      const message = program(revision, { id });
      times.push(await shown(platform, message, () => namedInApi(client, id, `program ${revision}`)));
    }
    // The median: the machine may have stood still once.
    const median = times.sort((a, b) => a - b)[4] as number;
    t.ok(median < WITHIN_MS, `${median} ms`);
  });

  await t.test("an older revision after a newer one changes nothing", async (t) => {
    const newer = program(7);
    await publishConfig(platform, newer);
    await waitFor(() => namedInApi(client, newer.id, "program 7"), { message: "revision 7 does not show" });
    const skipped = await count(rewards, "skip");
    await publishConfig(platform, program(6, { id: newer.id }));
    await waitFor(async () => (await count(rewards, "skip")) === skipped + 1, {
      message: "revision 6 was not looked at",
    });
    t.ok(await namedInApi(client, newer.id, "program 7"));
  });

  await t.test("a removed program is gone, and an older message does not bring it back", async (t) => {
    const message = program(1);
    await publishConfig(platform, message);
    await waitFor(() => namedInApi(client, message.id, "program 1"), { message: "it does not show" });
    await publishConfig(platform, { ...message, revision: 3, record: null });
    const isGone = async () => (await client.post("loyalty-program/get", { id: message.id })).status === 404;
    await waitFor(isGone, { message: "it is still there" });
    const skipped = await count(rewards, "skip");
    await publishConfig(platform, program(2, { id: message.id }));
    await waitFor(async () => (await count(rewards, "skip")) === skipped + 1, {
      message: "revision 2 was not looked at",
    });
    t.ok(await isGone());
    await publishConfig(platform, program(4, { id: message.id }));
    await waitFor(() => namedInApi(client, message.id, "program 4"), { message: "a newer one is refused" });
  });

  await t.test("a deal likewise; its times may have any offset", async (t) => {
    const message = deal(1);
    await publishConfig(platform, message);
    const found = async () => (await client.post("deal/get", { id: message.id })).status === 200;
    await waitFor(found, { message: "the deal does not show" });
    const { body } = await client.post("deal/get", { id: message.id });
    t.match(body, {
      name: "deal 1",
      reward_config: { type: "percent", percent: 12.5, max_amount: 500 },
      starts_at: "2026-02-28T18:00:00.000Z",
      ends_at: "2026-04-01T00:00:00.123Z",
    });
    await publishConfig(platform, { ...message, revision: 2, record: null });
    await waitFor(async () => !(await found()), { message: "the deal is still there" });
  });
});

t.test("a message that can never be applied becomes a dead letter and delays no other", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const rewards = await pipeline.start("rewards");
  const publish = (id: string, payload: string) =>
    platform.jetstream.publish(`${platform.prefix}config.loyalty-program.${id}`, payload);
  const unreadable = await publish("lp_1", "{");
  const invalid = await publish("lp_2", JSON.stringify({ ...program(1), revision: 0 }));
  const foreign = await publish(
    "lp_3",
    JSON.stringify({ ...program(1), id: encodeId("deal", randomUUID()) }),
  );
  const { record } = program(1);
  // Valid for the schema; no text of the database holds NUL.
  const refused = program(1, { record: { ...(record as object), name: "a\u0000b" } as never });
  const withNul = await publish(refused.id, JSON.stringify(refused));
  const good = program(1);
  await publishConfig(platform, good);
  await waitFor(() => stored(pipeline, good.id, "program 1"), { message: "the good one does not show" });

  const expected = [
    { reason: "unreadable_message", sequence: unreadable.seq },
    { reason: "invalid_message", sequence: invalid.seq },
    { reason: "invalid_message", sequence: foreign.seq },
    { reason: "refused_by_database", sequence: withNul.seq },
  ].map((letter) => ({ ...letter, hop: "CONFIG", partition: 0 }));
  const letters = await waitFor(
    async () => {
      const found = await readStream<{ sequence: number }>(pipeline, "DEAD");
      return found.length === expected.length && found;
    },
    { message: "the dead letters are not there" },
  );
  t.strictSame(
    letters.sort((a, b) => a.sequence - b.sequence),
    expected,
  );
  await waitFor(async () => (await held(rewards)) === 0, { message: "they come again" });
  t.equal(await count(rewards, "dead"), 4);
  t.match(rewards.output(), /"path":"\/revision","message":"must be at least 1"/, "the log says why");
});

t.test("a change that was published while rewards was away shows once rewards has started", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const { id } = program(1);
  let revision = 0;
  for (const end of ["stop", "kill"] as const) {
    const rewards = await pipeline.start("rewards");
    await publishConfig(platform, program(++revision, { id }));
    await waitFor(() => stored(pipeline, id, `program ${revision}`), { message: "it does not show" });
    const ended = await rewards[end]();
    if (end === "stop") t.equal(ended, 0);
    await publishConfig(platform, program(++revision, { id }));
    await publishConfig(platform, program(++revision, { id }));
  }
  const last = await pipeline.start("rewards");
  await waitFor(() => stored(pipeline, id, `program ${revision}`), {
    message: "the last revision does not show",
  });
  t.equal((await last.ops("/readyz")).status, 200);
});

t.test("one process reads; when it is killed, another takes its messages over", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const processes = [await pipeline.start("rewards"), await pipeline.start("rewards")];
  const publishMany = async (count: number) => {
    const messages = Array.from({ length: count }, () => program(1));
    await Promise.all(messages.map((message) => publishConfig(platform, message)));
  };
  await publishMany(200);
  await waitFor(async () => (await storedPrograms(pipeline)) === 200, { message: "not all programs show" });
  // A message is counted a moment after it shows.
  const done = async () => {
    const counts = await Promise.all(processes.map((one) => count(one, "done")));
    return counts.reduce((sum, one) => sum + one, 0);
  };
  await waitFor(async () => (await done()) >= 200, { message: "not all are counted" });
  t.equal(await done(), 200, "each message was applied once");

  // Its transactions wait for this lock, so it dies while it holds messages.
  await pipeline.store.begin(async (sql) => {
    await sql`lock table loyalty_programs in exclusive mode`;
    await publishMany(50);
    const reader = await waitFor(
      async () => {
        const numbers = await Promise.all(processes.map(held));
        return processes[numbers.findIndex((number) => number > 0)] ?? false;
      },
      { message: "no process holds a message" },
    );
    await reader.kill();
  });
  await waitFor(async () => (await storedPrograms(pipeline)) === 250, {
    message: "what the killed one had taken does not show",
  });
});

t.test("rewards survives outages of Postgres and of NATS", async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const databaseUrl = await servers.postgres.databaseUrl();
  const { pipeline, platform } = await startLink(t, { databaseUrl, natsUrl: servers.nats.url });
  const rewards = await pipeline.start("rewards");
  const { id } = program(1);
  await publishConfig(platform, program(1, { id }));
  await waitFor(() => stored(pipeline, id, "program 1"), { message: "it does not show" });

  await t.test("Postgres: the message waits, and shows when it is back", async () => {
    await servers.postgres.kill();
    await publishConfig(platform, program(2, { id }));
    await waitFor(() => rewards.output().includes("partition ownership is unknown"), {
      message: "no process notices it",
    });
    await servers.postgres.start();
    await waitFor(() => stored(pipeline, id, "program 2"), {
      message: "it does not show after the outage",
    });
    await waitFor(async () => (await held(rewards)) === 0, { message: "it comes again" });
  });

  await t.test("NATS: reading starts over when it is back", async () => {
    await servers.nats.kill();
    await waitFor(async () => (await rewards.ops("/readyz")).status === 503, { message: "it is ready" });
    await servers.nats.start();
    await publishWhenTaken(platform, program(3, { id }));
    await waitFor(() => stored(pipeline, id, "program 3"), {
      message: "it does not show after the outage",
    });
    await waitFor(async () => (await rewards.ops("/readyz")).status === 200, { message: "it is not ready" });
  });
});

t.test("a message that was lost with a connection comes again", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const nats = new URL(pipeline.natsUrl);
  const proxy = await startTcpProxy({ host: nats.hostname, port: Number(nats.port) });
  t.teardown(() => proxy.close());
  nats.port = String(proxy.port);
  await pipeline.start("rewards", { NATS_URL: nats.href });
  const { id } = program(1);
  await publishConfig(platform, program(1, { id }));
  await waitFor(() => stored(pipeline, id, "program 1"), { message: "it does not show" });
  proxy.freezeServer();
  await publishConfig(platform, program(2, { id }));
  await waitFor(() => isHandedOut(platform), { message: "it was not handed out" });
  proxy.cut();
  proxy.thaw();
  await waitFor(() => stored(pipeline, id, "program 2"), {
    message: "it does not show",
  });
});

t.test("a stream that is wiped or removed is filled again, and its reader starts over", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const rewards = await pipeline.start("rewards");
  const name = `${pipeline.streamPrefix}CONFIG`;
  const { id } = program(1);
  await publishConfig(platform, program(1, { id }));
  await platform.jetstream.publish(`${platform.prefix}config.deal.x`, "{");
  await waitFor(async () => (await count(rewards, "dead")) === 1, { message: "it is not dead" });
  await waitFor(() => stored(pipeline, id, "program 1"), { message: "it does not show" });

  await platform.manager.streams.delete(name);
  await publishWhenTaken(platform, program(2, { id }));
  await waitFor(() => stored(pipeline, id, "program 2"), { message: "nothing comes after the removal" });
  const { config, state } = await platform.manager.streams.info(name);
  t.equal(state.last_seq, 1, "sequences began again");
  t.match(config, { max_msgs_per_subject: 1, subjects: [`${pipeline.streamPrefix}config.>`] });
  const { seq } = await platform.jetstream.publish(`${platform.prefix}config.deal.x`, "{");
  t.equal(seq, 2, "the same sequence as before the removal");
  await waitFor(async () => (await readStream(pipeline, "DEAD")).length === 2, {
    message: "a dead letter passed for the one of the same sequence before",
  });

  await platform.manager.streams.purge(name);
  await publishConfig(platform, program(3, { id }));
  await waitFor(() => stored(pipeline, id, "program 3"), { message: "nothing comes after the purge" });
});

t.test(
  "the stream keeps the last message of each program and deal, for a reader that starts from nothing",
  async (t) => {
    const { pipeline, platform } = await startLink(t);
    const first = program(1);
    const other = deal(1);
    for (const message of [first, other, program(2, { id: first.id }), program(3, { id: first.id })]) {
      await publishConfig(platform, message);
      await publishConfig(platform, message); // an attempt repeated
    }
    const kept = await readStream<ProgramConfig | DealConfig>(pipeline, "CONFIG");
    t.strictSame(
      kept.map(({ kind, id, revision }) => [kind, id, revision]),
      [
        ["deal", other.id, 1],
        ["loyalty-program", first.id, 3],
      ],
    );
  },
);

t.test("a full stream refuses new programs, takes changes, and drops nothing", async (t) => {
  const { pipeline, platform } = await startLink(t, { env: { STAMPEDE_STREAM_MAX_BYTES: String(2 ** 20) } });
  const large = (message: ProgramConfig, letter: string): ProgramConfig => {
    const record = message.record as NonNullable<ProgramConfig["record"]>;
    const display_content = { ...DISPLAY_CONTENT, terms: letter.repeat(600 * 1024) };
    return { ...message, record: { ...record, display_content } };
  };
  const first = program(1);
  await publishConfig(platform, large(first, "a"));
  await t.rejects(publishConfig(platform, large(program(1), "b")), { code: "publish_failed" });
  await publishConfig(platform, large(program(2, { id: first.id }), "c"));
  const kept = await readStream<ProgramConfig>(pipeline, "CONFIG");
  t.strictSame(
    kept.map(({ id, revision }) => [id, revision]),
    [[first.id, 2]],
  );
});

t.test(
  "when reading starts over, every revision is compared: so a restored database catches up",
  async (t) => {
    const { pipeline, platform } = await startLink(t);
    await pipeline.start("rewards");
    const message = program(1);
    await publishConfig(platform, message);
    const { id } = message;
    const isStored = () => stored(pipeline, id, "program 1");
    await waitFor(isStored, { message: "it does not show" });
    await t.test("after a doubt", async () => {
      await pipeline.store`delete from loyalty_programs`;
      const name = `${pipeline.streamPrefix}CONFIG`;
      for await (const consumer of platform.manager.consumers.list(name)) {
        await platform.manager.consumers.delete(name, consumer.name);
      }
      await waitFor(isStored, { message: "it was not read again" });
    });
    await t.test("when the sessions of the database end, as they do when it is restored", async () => {
      await pipeline.store`delete from loyalty_programs`;
      await pipeline.store`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'stampede-rewards%'`;
      await waitFor(isStored, { message: "it was not read again" });
    });
  },
);

t.test("a consumer left by an earlier release disturbs no reader", async (t) => {
  const { pipeline, platform } = await startLink(t);
  const name = `${pipeline.streamPrefix}CONFIG`;
  await platform.manager.consumers.add(name, { durable_name: "rewards", ack_policy: "explicit" });
  await pipeline.start("rewards");
  const message = program(1);
  await publishConfig(platform, message);
  await waitFor(() => stored(pipeline, message.id, "program 1"), { message: "it does not show" });
});

/** A pipeline without processes, and a connection like the platform's. */
async function startLink(t: Test, options: PipelineOptions = {}) {
  const pipeline = await startPipeline({ begin: [], ...options });
  t.teardown(() => pipeline.stop());
  const platform = await connectStream({
    url: pipeline.natsUrl,
    name: "platform",
    prefix: pipeline.streamPrefix,
    log: createLog({ service: "test", level: "fatal" }),
  });
  t.teardown(() => platform.close());
  // The platform makes its streams when it starts, and here it does not run. They have the size of the
  // pipeline's.
  const maxBytes = Number(options.env?.STAMPEDE_STREAM_MAX_BYTES ?? STREAM_BYTES);
  await ensureTopology(platform, { partitions: 2, maxBytes, linkMaxBytes: STREAM_BYTES }, "platform");
  return { pipeline, platform };
}

const STREAM_BYTES = 64 * 1024 * 1024;
const AT = "2026-03-01T10:00:00Z";
const DISPLAY_CONTENT = {
  title: "Café 🎟",
  image: "https://example.com/image.png",
  summary: "Every fifth is free",
  description: "",
  terms: "None",
  reward: { formatted: "100 %" },
};

function program(revision: number, changes: Partial<ProgramConfig> = {}): ProgramConfig {
  const record = {
    name: `program ${revision}`,
    qualifying_threshold: 5,
    reward_config: { type: "refund" as const },
    display_content: DISPLAY_CONTENT,
    currency: "EUR",
    created_at: AT,
    updated_at: AT,
  };
  return { v: 1, kind: "loyalty-program", id: encodeId("lp", randomUUID()), revision, record, ...changes };
}

function deal(revision: number): DealConfig {
  const record = {
    name: `deal ${revision}`,
    reward_config: { type: "percent" as const, percent: 12.5, max_amount: 500 },
    display_content: DISPLAY_CONTENT,
    starts_at: "2026-03-01T12:00:00+18:00",
    ends_at: "2026-04-01T00:00:00.123456789Z",
    created_at: AT,
    updated_at: AT,
  };
  return { v: 1, kind: "deal", id: encodeId("deal", randomUUID()), revision, record };
}

/** Milliseconds from the publishing until the change shows, as `countedWait` counts them. */
async function shown(
  platform: Stream,
  message: ProgramConfig,
  isShown: () => Promise<boolean>,
): Promise<number> {
  await publishConfig(platform, message);
  const { countedMs } = await countedWait(isShown, { message: `revision ${message.revision} does not show` });
  return countedMs;
}

async function namedInApi(client: PublisherClient, id: string, name: string): Promise<boolean> {
  return (await client.post("loyalty-program/get", { id })).body.name === name;
}

async function stored({ store }: Pipeline, id: string, name: string): Promise<boolean> {
  const uuid = decodeId("lp", id) as string;
  const [row] = await store<{ name: string | null }[]>`
    select name from loyalty_programs where id = ${uuid}`;
  return row?.name === name;
}

async function storedPrograms({ store }: Pipeline): Promise<number> {
  const [row] = await store<[{ count: number }]>`select count(*) as count from loyalty_programs`;
  return row.count;
}

const count = (rewards: ServiceProcess, outcome: string) =>
  readMetric(rewards, "stampede_rewards_config_messages_total", `outcome="${outcome}"`);

/** Messages of CONFIG that a process has read but not handled. */
const held = (rewards: ServiceProcess) =>
  readMetric(rewards, "stampede_rewards_messages_held", 'hop="CONFIG"');

/** Whether the server has sent the last message to a reader. */
async function isHandedOut({ manager, prefix }: Stream): Promise<boolean> {
  const name = `${prefix}CONFIG`;
  const { state } = await manager.streams.info(name);
  const readers = await manager.consumers.list(name).next();
  return readers.some(({ delivered }) => delivered.stream_seq === state.last_seq);
}

/** Publishes as the platform does: until the stream accepts it. */
async function publishWhenTaken(platform: Stream, message: ProgramConfig): Promise<void> {
  await waitFor(() => publishConfig(platform, message).then(() => true), {
    message: "the stream does not take it",
  });
}

t.test("a database older than the applied revisions has all of them after the next start", async (t) => {
  const { pipeline, platform } = await startLink(t, { begin: ["edge"] });
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const rewards = await pipeline.start("rewards");
  const [changed, added, removed] = [program(3), program(1), deal(1)];
  for (const message of [program(1, { id: changed.id }), changed, added, removed]) {
    await publishConfig(platform, message);
  }
  await publishConfig(platform, { ...removed, revision: 2, record: null });
  const isShown = async () =>
    (await namedInApi(client, changed.id, "program 3")) &&
    (await namedInApi(client, added.id, "program 1")) &&
    (await client.post("deal/get", { id: removed.id })).status === 404;
  await waitFor(isShown, { message: "not all was applied" });
  await waitFor(async () => (await held(rewards)) === 0, { message: "not all was looked at" });
  await rewards.stop();
  // As in a backup that was taken before the last three messages.
  const uuid = (kind: "lp" | "deal", id: string) => decodeId(kind, id) as string;
  const { store } = pipeline;
  await store`update loyalty_programs set revision = 1, name = 'old' where id = ${uuid("lp", changed.id)}`;
  await store`delete from loyalty_programs where id = ${uuid("lp", added.id)}`;
  await store`delete from deals where id = ${uuid("deal", removed.id)}`;

  const again = await pipeline.start("rewards");
  await waitFor(async () => (await count(again, "done")) === 3, { message: "it is not caught up with" });
  t.ok(await isShown());
});
