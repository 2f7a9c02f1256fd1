import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import type { DealConfig, ProgramConfig } from "#contract/platform";
import { decodeId, encodeId } from "#domain";
import { connectStream, ensureTopology, type Stream } from "#nats";
import { createLog } from "#runtime";
import {
  type Pipeline,
  type PipelineOptions,
  privateServers,
  publishConfig,
  readMetric,
  readStream,
  type ServiceProcess,
  startPipeline,
  TcpProxy,
  waitFor,
} from "#test-support";

/**
 * How rewards reads CONFIG, the platform's programs and deals: one process after the other, against servers of its own. What
 * it does with a message, `services/rewards/src/handle-config.test.ts` says; what the platform publishes, `platform-link.test.ts`.
 */
t.setTimeout(400_000);

t.test("rewards reads configuration", async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const { nats } = servers;
  const databaseUrl = await servers.postgres.databaseUrl();
  const { pipeline, platform } = await startLink(t, { databaseUrl, natsUrl: nats.url });
  const { store } = pipeline;
  const name = `${pipeline.streamPrefix}CONFIG`;
  const proxy = await TcpProxy.start(nats.url);
  t.teardown(() => proxy.close());
  const start = () => pipeline.start("rewards", { NATS_URL: proxy.through(nats.url) });
  // An earlier release left this consumer. It disturbs no reader.
  await platform.manager.consumers.add(name, { durable_name: "rewards", ack_policy: "explicit" });
  let rewards = await start();
  const { id } = program(1);
  let revision = 0;
  const publishNext = () => publishWhenTaken(platform, program(++revision, { id }));
  const shows = (message: string) => waitFor(() => stored(pipeline, id, `program ${revision}`), { message });

  await t.test("a stream that is wiped or removed is filled again, and its reader starts over", async (t) => {
    await publishNext();
    await platform.jetstream.publish(`${platform.prefix}config.deal.x`, "{");
    await waitFor(async () => (await count(rewards, "dead")) === 1, { message: "it is not dead" });
    await shows("it does not show");

    await platform.manager.streams.delete(name);
    await publishNext();
    await shows("nothing comes after the removal");
    const { config, state } = await platform.manager.streams.info(name);
    t.equal(state.last_seq, 1, "sequences began again");
    t.match(config, { max_msgs_per_subject: 1, subjects: [`${pipeline.streamPrefix}config.>`] });
    const { seq } = await platform.jetstream.publish(`${platform.prefix}config.deal.x`, "{");
    t.equal(seq, 2, "the same sequence as before the removal");
    const letters = await waitFor(
      async () => {
        const found = await readStream(pipeline, "DEAD");
        return found.length === 2 && found;
      },
      { message: "a dead letter passed for the one of the same sequence before" },
    );
    const letter = { reason: "unreadable_message", sequence: 2, hop: "CONFIG", partition: 0 };
    t.strictSame(letters, [letter, letter]);

    await platform.manager.streams.purge(name);
    await publishNext();
    await shows("nothing comes after the purge");
  });

  await t.test(
    "when reading starts over, every revision is compared: so a restored database catches up",
    async () => {
      await store`delete from loyalty_programs`;
      for await (const consumer of platform.manager.consumers.list(name)) {
        await platform.manager.consumers.delete(name, consumer.name);
      }
      await shows("after a doubt it was not read again");
      await store`delete from loyalty_programs`;
      // They end when a database is restored.
      await store`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'stampede-rewards%'`;
      await shows("after its sessions ended it was not read again");
    },
  );

  await t.test("a message that was lost with a connection comes again", async () => {
    proxy.freezeServer();
    await publishNext();
    await waitFor(() => isHandedOut(platform), { message: "it was not handed out" });
    proxy.cut();
    proxy.thaw();
    await shows("it does not show");
  });

  await t.test(
    "a database older than the applied revisions has all of them after the next start",
    async (t) => {
      const [changed, added, removed] = [program(3), program(1), deal(1)];
      for (const message of [program(1, { id: changed.id }), changed, added, removed]) {
        await publishConfig(platform, message);
      }
      await publishConfig(platform, { ...removed, revision: 2, record: null });
      const uuid = (kind: "lp" | "deal", of: string) => decodeId(kind, of) as string;
      const isRemoved = async () => {
        const rows = await store`
        select from deals where id = ${uuid("deal", removed.id)} and removed_at is not null`;
        return rows.length === 1;
      };
      const isStored = async () =>
        (await stored(pipeline, changed.id, "program 3")) &&
        (await stored(pipeline, added.id, "program 1")) &&
        (await isRemoved());
      await waitFor(isStored, { message: "not all was applied" });
      await waitFor(async () => (await held(rewards)) === 0, { message: "not all was looked at" });
      t.equal(await rewards.stop(), 0);
      // As in a backup that was taken before the last three messages.
      await store`update loyalty_programs set revision = 1, name = 'old' where id = ${uuid("lp", changed.id)}`;
      await store`delete from loyalty_programs where id = ${uuid("lp", added.id)}`;
      await store`delete from deals where id = ${uuid("deal", removed.id)}`;
      await publishNext();

      rewards = await start();
      await waitFor(isStored, { message: "it is not caught up with" });
      await shows("what was published while rewards was away does not show");
      t.equal((await rewards.ops("/readyz")).status, 200);
    },
  );

  await t.test("one process reads; when it is killed, another takes its messages over", async (t) => {
    const processes = [rewards, await start()];
    const publishMany = async (count: number) => {
      const messages = Array.from({ length: count }, () => program(1));
      await Promise.all(messages.map((message) => publishConfig(platform, message)));
    };
    const done = async () => {
      const counts = await Promise.all(processes.map((one) => count(one, "done")));
      return counts.reduce((sum, one) => sum + one, 0);
    };
    await waitFor(async () => (await held(rewards)) === 0, { message: "earlier ones are not done" });
    const [programs, doneBefore] = [await storedPrograms(pipeline), await done()];
    await publishMany(200);
    await waitFor(async () => (await storedPrograms(pipeline)) === programs + 200, {
      message: "not all programs show",
    });
    // A message is counted a moment after it shows.
    await waitFor(async () => (await done()) >= doneBefore + 200, { message: "not all are counted" });
    t.equal(await done(), doneBefore + 200, "each message was applied once");

    // Its transactions wait for this lock, so it dies while it holds messages.
    await store.begin(async (sql) => {
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
      rewards = processes.find((one) => one !== reader) as ServiceProcess;
    });
    await waitFor(async () => (await storedPrograms(pipeline)) === programs + 250, {
      message: "what the killed one had taken does not show",
    });
  });

  await t.test("an outage of Postgres: the message waits, and shows when it is back", async () => {
    await servers.postgres.kill();
    await publishNext();
    await waitFor(() => rewards.output().includes("partition ownership is unknown"), {
      message: "no process notices it",
    });
    await servers.postgres.start();
    await shows("it does not show after the outage");
    await waitFor(async () => (await held(rewards)) === 0, { message: "it comes again" });
  });

  await t.test("an outage of NATS: reading starts over when it is back", async () => {
    await nats.kill();
    await waitFor(async () => (await rewards.ops("/readyz")).status === 503, { message: "it is ready" });
    await nats.start();
    await publishNext();
    await shows("it does not show after the outage");
    await waitFor(async () => (await rewards.ops("/readyz")).status === 200, { message: "it is not ready" });
  });
});

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
