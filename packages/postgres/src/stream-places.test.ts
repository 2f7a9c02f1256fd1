import t, { type Test } from "tap";
import { testServers } from "#test-support";
import { closeStore, connectStore } from "./connect.ts";
import { PARTITION_LOCKS } from "./partition-locks.ts";
import { StreamPlaces } from "./stream-places.ts";

const PLACE = { hop: "OUTCOMES", partition: 3, streamCreated: "then", done: 7, storedAtMs: 1.5 };

async function setUp(t: Test, table?: string) {
  const url = await (await testServers()).databaseUrl();
  const owner = () => {
    const store = connectStore({ url, max: 1, applicationName: "test" });
    t.teardown(() => closeStore(store));
    const places = new StreamPlaces({
      sql: store,
      service: "rewards",
      ...(table !== undefined && { table }),
    });
    const { partition: lock } = PARTITION_LOCKS.rewards;
    const holds = async (partition = 3) => {
      await store`select pg_advisory_lock(${lock}::int, ${partition}::int)`;
    };
    const letsGo = async () => {
      await store`select pg_advisory_unlock_all()`;
    };
    return { store, places, holds, letsGo };
  };
  return { owner };
}

for (const table of ["stream_places", "platform.stream_places"]) {
  t.test(`stream places - ${table} keeps how far a partition is`, async (t) => {
    const { owner } = await setUp(t, table);
    const { places, holds } = owner();
    await t.rejects(places.takeOver("OUTCOMES", 3), { message: /lock is gone/ });
    await holds();
    t.equal(await places.takeOver("OUTCOMES", 3), undefined, "nothing is done yet");
    t.strictSame(await places.keep([PLACE, { ...PLACE, partition: 4 }]), [3], "the other was not taken over");
    const { hop, partition, ...place } = PLACE;
    t.strictSame(await places.takeOver(hop, partition), place);
    t.equal(await places.takeOver("SETTLEMENT", partition), undefined, "each hop has its own places");
  });
}

t.test("stream places - an owner whose partition was taken over moves nothing", async (t) => {
  const { owner } = await setUp(t);
  const [before, after] = [owner(), owner()];
  await before.holds();
  await before.places.takeOver("OUTCOMES", 3);
  t.strictSame(await before.places.keep([PLACE]), [3]);
  await before.letsGo();
  await after.holds();
  await after.places.takeOver("OUTCOMES", 3);
  t.strictSame(await before.places.keep([{ ...PLACE, done: 99 }]), []);
  t.match(await after.places.takeOver("OUTCOMES", 3), { done: 7 });
});

/** A restored database has an older place, without the work of this process since. */
t.test(
  "stream places - a process that lost its session moves nothing until it takes over again",
  async (t) => {
    const { owner } = await setUp(t);
    const { store, places, holds } = owner();
    await holds();
    await places.takeOver("OUTCOMES", 3);
    await places.keep([PLACE]);
    const [{ pid }] = await store<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await owner().store`select pg_terminate_backend(${pid})`;
    const kept = await places.keep([{ ...PLACE, done: 8 }]).catch(() => places.keep([{ ...PLACE, done: 8 }]));
    t.strictSame(kept, []);
    await holds();
    t.match(await places.takeOver("OUTCOMES", 3), { done: 7 });
    t.strictSame(await places.keep([{ ...PLACE, done: 8 }]), [3]);
  },
);

t.test("stream places - work is refused in another server than that of the places", async (t) => {
  const { owner } = await setUp(t);
  const { store, places, holds } = owner();
  await holds();
  const note = (...partitions: number[]) => {
    const messages = partitions.map((partition) => ({ partition, sequence: 1 }));
    const assertSameServer = places.noteServer("OUTCOMES", messages);
    return () => store.begin((sql) => assertSameServer(sql));
  };
  const assertSame = (...partitions: number[]) => note(...partitions)();
  await t.rejects(assertSame(3), { message: /PostgreSQL was started since/ }, "not taken over");
  await places.takeOver("OUTCOMES", 3);
  await assertSame(3);
  await assertSame();
  await places.noteServer("OUTCOMES", [{ partition: 4, sequence: 0 }])(store);
  await store`set timezone = 'Asia/Tokyo'`;
  await assertSame(3);
  await t.rejects(assertSame(3, 4), { message: /PostgreSQL was started since/ }, "one of two");
  // As if the server had been started after the next one took over.
  await store`alter table stream_places alter server_started set default 'epoch'`;
  await places.takeOver("OUTCOMES", 3);
  await t.rejects(assertSame(3), { message: /PostgreSQL was started since/ });
  const assertAsBefore = note(3);
  await store`alter table stream_places alter server_started set default pg_postmaster_start_time()`;
  await places.takeOver("OUTCOMES", 3);
  await assertSame(3);
  await t.rejects(
    assertAsBefore(),
    { message: /PostgreSQL was started since/ },
    "noted before the take-over",
  );
});

t.test(
  "stream places - the first owner in a server notes the stream's last message, for that stream",
  async (t) => {
    const { owner } = await setUp(t);
    const { store, holds } = owner();
    await holds();
    let held: { created: string; last: number } | undefined = { created: "then", last: 9 };
    const places = new StreamPlaces({ sql: store, service: "rewards", readHeld: async () => held });
    const through = async () => {
      const [row] = await store<
        { through: number | null }[]
      >`select replay_through as through from stream_places`;
      const isReplayed = (sequence: number) => places.isReplayed("OUTCOMES", { partition: 3, sequence });
      return [row?.through, [0, 9, 10].map(isReplayed)];
    };
    t.equal(await places.takeOver("OUTCOMES", 3), undefined);
    t.strictSame(await through(), [null, [false, false, false]], "nothing was done before");
    await places.keep([PLACE]);
    await store`update stream_places set server_started = 'epoch'`;
    const { hop, partition, ...place } = PLACE;
    t.strictSame(await places.takeOver(hop, partition), place);
    t.strictSame(await through(), [9, [false, true, false]]);
    held = { created: "then", last: 99 };
    await places.takeOver(hop, partition);
    t.strictSame(await through(), [9, [false, true, false]], "a later owner leaves it");
    await places.keep([{ ...PLACE, done: 8 }]);
    t.strictSame(await through(), [9, [false, true, false]]);
    await places.keep([{ ...PLACE, streamCreated: "anew", done: 1 }]);
    t.match(await through(), [null], "the stream was recreated");
    for (const other of [held, undefined]) {
      await store`update stream_places set server_started = 'epoch'`;
      held = other;
      await places.takeOver(hop, partition);
      t.strictSame(await through(), [null, [false, false, false]], "it is another one, or gone");
    }
  },
);

t.test(
  "stream places - after a start of the server, reading goes on once the database is ready",
  async (t) => {
    const { owner } = await setUp(t);
    const { store, places, holds } = owner();
    await holds();
    await places.takeOver("OUTCOMES", 3);
    let isReady = false;
    const assertReady = async () => {
      if (!isReady) throw new Error("not yet");
    };
    const restored = new StreamPlaces({ sql: store, service: "rewards", assertReady });
    await restored.takeOver("OUTCOMES", 3);
    await store`update stream_places set server_started = 'epoch'`;
    await t.rejects(restored.takeOver("OUTCOMES", 3), { message: "not yet" });
    await t.rejects(restored.takeOver("OUTCOMES", 3), { message: "not yet" }, "and asked again");
    isReady = true;
    await restored.takeOver("OUTCOMES", 3);
    isReady = false;
    await restored.takeOver("OUTCOMES", 3);
  },
);
