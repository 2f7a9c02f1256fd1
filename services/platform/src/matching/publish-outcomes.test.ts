import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { FLOW, LIMITS } from "#contract";
import { partitionOf } from "#domain";
import { connectStream, ensureStream, ensureTopology, type Stream, streamName } from "#nats";
import { closeStore, connectStore, type Store } from "#postgres";
import { createLog } from "#runtime";
import { isolation, testServers, waitFor, waitForLocks } from "#test-support";
import { type QueuedOutcomes, queueOutcomes } from "./outcome-queue.ts";
import { OutcomePublisher } from "./publish-outcomes.ts";

/** Publishers with real servers: their memory, and their view of the queue. */
const TOPOLOGY = { partitions: 1, maxBytes: 8 * 1024 * 1024, linkMaxBytes: 8 * 1024 * 1024 };

interface Scene {
  readonly store: Store;
  readonly stream: Stream;
  /** Starts a publisher, as in a new process. */
  start(): OutcomePublisher;
  /** Queues outcomes with these texts, and commits. */
  queue(...names: string[]): Promise<QueuedOutcomes[]>;
  /** The content of every message in the stream, in order. */
  published(): Promise<string[]>;
  /** The number of rows in the queue. */
  waiting(): Promise<number>;
  /** Makes everything in the queue as old as rows that a crash has left. */
  age(): Promise<void>;
}

async function setUp(t: Test, { partitions } = TOPOLOGY): Promise<Scene> {
  const servers = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: servers.natsUrl, name: "test", prefix: isolation(), log });
  await ensureTopology(stream, { ...TOPOLOGY, partitions });
  const store = connectStore({ url: await servers.databaseUrl(), max: 4, applicationName: "test" });
  t.teardown(async () => {
    await stream.close();
    await closeStore(store);
  });
  return {
    store,
    stream,
    start: () => {
      const publisher = new OutcomePublisher({ store, stream, partitions, log });
      t.teardown(() => publisher.stop());
      return publisher;
    },
    queue: (...names) =>
      store.begin((sql) =>
        queueOutcomes(
          sql,
          names.map((name) => ({
            id: name,
            formerIds: [],
            clipId: null,
            authedAt: 0,
            type: "deal",
            json: JSON.stringify(name),
          })),
          undefined,
        ),
      ),
    published: () => readNames(stream),
    waiting: async () => (await store`select from platform.outcome_queue`).length,
    age: async () =>
      void (await store`update platform.outcome_queue set queued_at = now() - interval '1 minute'`),
  };
}

async function readNames(stream: Stream, partition = 0): Promise<string[]> {
  const name = streamName(stream, FLOW.outcomes, partition);
  const { state } = await stream.manager.streams.info(name);
  const names: string[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
    const message = await stream.manager.streams.getMessage(name, { seq });
    names.push(...(message?.json<{ outcomes: string[] }>().outcomes ?? []));
  }
  return names;
}

const isEmpty = (scene: Scene) => async () => (await scene.waiting()) === 0;

t.test(
  "outcomes - a process publishes its own immediately, and leaves alone those that another has just queued",
  async (t) => {
    const scene = await setUp(t);
    const publisher = scene.start();
    await scene.queue("another's");
    publisher.publish(await scene.queue("a", "b"));
    await waitFor(async () => (await scene.waiting()) === 1, { message: "its own are not deleted" });
    t.strictSame(await scene.published(), ["a", "b"]);
    await scene.age();
    await waitFor(isEmpty(scene), { message: "the remaining rows are not taken" });
    t.strictSame(await scene.published(), ["a", "b", "another's"]);
  },
);

t.test(
  "crash - between the commit and the publication: another process finds the outcomes, each once",
  async (t) => {
    const scene = await setUp(t);
    // No publisher gets these outcomes.
    await scene.queue("a", "b");
    const [one, two] = [scene.start(), scene.start()];
    await waitFor(isEmpty(scene), { message: "they are left in the queue" });
    await Promise.all([one.stop(), two.stop()]);
    t.strictSame(await scene.published(), ["a", "b"]);
  },
);

t.test(
  "crash - between the publication and the deletion: they are published again, and none is lost",
  async (t) => {
    const scene = await setUp(t);
    const dying = scene.start();
    const queued = await scene.queue("a", "b");
    await scene.store.begin(async (sql) => {
      await sql.script("lock table platform.outcome_queue in share mode");
      dying.publish(queued);
      await waitForLocks(scene.store);
      t.strictSame(await scene.published(), ["a", "b"]);
      // It never deletes them: its session ends where a kill would end it.
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    });
    await dying.stop();
    t.equal(await scene.waiting(), 2);
    await scene.age();
    scene.start();
    await waitFor(isEmpty(scene), { message: "they are left in the queue" });
    t.strictSame([...new Set(await scene.published())], ["a", "b"]);
  },
);

t.test(
  "outcomes - a stream that takes nothing fills the queue and not the memory; later each leaves once",
  async (t) => {
    const scene = await setUp(t);
    await scene.stream.manager.streams.delete(streamName(scene.stream, FLOW.outcomes, 0));
    const publisher = scene.start();
    const names = Array.from({ length: LIMITS.outcomesRemembered + 700 }, (_, i) => `${i}`);
    publisher.publish(await scene.queue(...names));
    await ensureTopology(scene.stream, TOPOLOGY);
    await scene.age();
    await waitFor(isEmpty(scene), { message: "they are left in the queue" });
    await publisher.stop();
    t.strictSame((await scene.published()).sort(), names.sort());
  },
);

t.test(
  "outcomes - a position that a restored database gives out again is not taken for the published one",
  async (t) => {
    const scene = await setUp(t);
    const publisher = scene.start();
    const [queued] = await scene.queue("published");
    // The database was restored, and the same position now belongs to another outcome.
    await scene.store`update platform.outcome_queue set outcome = '"another"', queued_at = queued_at - interval '1 second'`;
    publisher.publish([queued as QueuedOutcomes]);
    await waitFor(async () => (await scene.published()).length === 1, { message: "it is not published" });
    await waitFor(isEmpty(scene), { message: "the other one is left in the queue" });
    t.strictSame(await scene.published(), ["published", "another"]);
  },
);

/** Queues an outcome of each clip. */
function queueClips(store: Store, ids: readonly string[]) {
  return store.begin((sql) =>
    queueOutcomes(
      sql,
      ids.map((id) => ({
        id,
        formerIds: [],
        clipId: id,
        authedAt: 0,
        type: "deal",
        json: JSON.stringify({ type: "deal", clip_id: id }),
      })),
      undefined,
    ),
  );
}

t.test("outcomes - those of a clip are in one partition, from memory and from the queue", async (t) => {
  const scene = await setUp(t, { ...TOPOLOGY, partitions: 3 });
  const publisher = scene.start();
  const idsOf = (kind: string) => Array.from({ length: 12 }, (_, n) => `clip_${kind}_${n}`);
  const queue = (ids: readonly string[]) => queueClips(scene.store, ids);
  publisher.publish(await queue(idsOf("own")));
  await waitFor(isEmpty(scene), { message: "they are not published" });
  await queue(idsOf("left"));
  await scene.age();
  await waitFor(isEmpty(scene), { message: "the remaining rows are not taken" });
  for (let partition = 0; partition < 3; partition++) {
    const outcomes = (await readNames(scene.stream, partition)) as unknown as { clip_id: string }[];
    t.strictSame(
      outcomes.map((one) => one.clip_id),
      [...idsOf("own"), ...idsOf("left")].filter((id) => partitionOf(id, 3) === partition),
    );
  }
});

t.test(
  "regression - if a new clip made several purchases count, one other than the newest could redeem it",
  async (t) => {
    const partitions = 7;
    const scene = await setUp(t, { ...TOPOLOGY, partitions });
    const publisher = scene.start();
    const clip = "clip_a";
    const queue = (...times: number[]) =>
      scene.store.begin((sql) =>
        queueOutcomes(
          sql,
          times.map((authedAt) => ({
            id: `${authedAt}`,
            formerIds: [],
            clipId: clip,
            authedAt,
            type: "deal",
            json: JSON.stringify({ transaction_id: `tx_${authedAt}`, type: "deal", clip_id: clip, authedAt }),
          })),
          undefined,
        ),
      );
    // Two database transactions of one batch: first the known purchases, and later those that were paired
    // after that.
    const known = (await queue(1, 4, 2)).map((one) => ({ ...one, queuedAtMs: one.queuedAtMs - 1_500 }));
    publisher.publish([...known, ...(await queue(3, 5))]);
    await waitFor(isEmpty(scene), { message: "they are not published" });
    const published = async () => {
      const all = await Promise.all(Array.from({ length: partitions }, (_, n) => readNames(scene.stream, n)));
      return (all.filter(({ length }) => length > 0) as unknown as { authedAt: number }[][]).map((one) =>
        one.map(({ authedAt }) => authedAt),
      );
    };
    t.strictSame(await published(), [[5, 4, 3, 2, 1]], "all in one partition");

    // More than one message can hold.
    const ascending = Array.from({ length: LIMITS.outcomesPerMessage + 100 }, (_, i) => 6 + i);
    const [old, young] = [ascending.slice(0, 400), ascending.slice(400)];
    publisher.publish([...(await queue(...old)), ...(await queue(...young))]);
    await waitFor(isEmpty(scene), { message: "they are not published" });
    t.strictSame((await published())[0]?.slice(5), ascending.toReversed(), "the newest in the first message");
  },
);

t.test("outcomes - a queue that cannot be emptied stands, with the database's words", async (t) => {
  const scene = await setUp(t);
  const { progress } = scene.stream;
  await scene.store`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'permission denied for table outcome_queue' using errcode = '42501'; end $$`;
  await scene.store`create trigger refuse before delete on platform.outcome_queue execute function refuse()`;
  await scene.queue("a");
  await scene.age();
  scene.start();
  await waitFor(() => progress.standing().some(({ hop }) => hop === "outcome queue"), {
    message: "the queue stands",
  });
  t.match(progress.standing(), [{ hop: "outcome queue", cause: "right", said: /permission denied/ }]);
  await scene.store`drop trigger refuse on platform.outcome_queue`;
  await waitFor(() => progress.standing().length === 0, { message: "it moves" });
});

t.test("regression - one partition that took nothing kept the outcomes of all others waiting", async (t) => {
  const scene = await setUp(t, { ...TOPOLOGY, partitions: 2 });
  const idsOf = (partition: number, count: number) =>
    Array.from({ length: 10 * count }, (_, n) => `clip_${n}`)
      .filter((id) => partitionOf(id, 2) === partition)
      .slice(0, count);
  const queue = (ids: readonly string[]) => queueClips(scene.store, ids);
  for (const partition of [0, 1]) {
    await scene.stream.manager.streams.delete(streamName(scene.stream, FLOW.outcomes, partition));
  }
  // More than a publisher reads at a time, and before the others.
  const stuck = idsOf(0, 3 * LIMITS.outcomesPerMessage + 1);
  await queue(stuck);
  const left = idsOf(1, LIMITS.outcomesPerMessage + 40);
  await queue(left);
  await scene.age();
  const publisher = scene.start();
  const own = idsOf(1, left.length + 40).slice(left.length);
  publisher.publish([...(await queue(idsOf(0, 3))), ...(await queue(own))]);
  const { progress } = scene.stream;
  await waitFor(() => progress.standing().some(({ hop }) => hop === "outcome queue"), {
    message: "the queue stands",
  });
  // Some turns, which find both away.
  await delay(3_000);
  await ensureStream(scene.stream, FLOW.outcomes, 1, { ...TOPOLOGY, partitions: 2 });
  const published = async (partition: number) => {
    const read = await readNames(scene.stream, partition);
    return (read as unknown as { clip_id: string }[]).map((one) => one.clip_id).sort();
  };
  await waitFor(async () => (await scene.waiting()) === stuck.length + 3, {
    message: "those of the other partition wait",
  });
  t.strictSame(await published(1), [...left, ...own].sort(), "each once");
  t.ok(
    progress.standing().some(({ hop }) => hop === "outcome queue"),
    "it still stands",
  );
  await ensureTopology(scene.stream, { ...TOPOLOGY, partitions: 2 });
  await scene.age();
  await waitFor(isEmpty(scene), { message: "they are left in the queue" });
  t.strictSame([...new Set(await published(0))], [...stuck].sort());
});
