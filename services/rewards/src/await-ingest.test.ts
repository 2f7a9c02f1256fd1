import t from "tap";
import { ExpectedWait } from "#postgres";
import { testStore } from "#test-support";
import { awaitIngest, awaitOutcomes } from "./await-ingest.ts";

t.test(
  "regression - after a mere restart of PostgreSQL it was said that ingest had messages to apply",
  async (t) => {
    const store = await testStore();
    const assertReady = awaitIngest(store, 2);
    const insert = (partition: number, applied: number, through: number | null, server: string) => store`
      insert into ingest_positions (partition, epoch, applied, published, stream_created, replay_through, server_started)
      values (${partition}, 1, ${applied}, ${applied}, 's', ${through}::bigint,
              case when ${server} = 'this' then pg_postmaster_start_time() else 'epoch' end)
      on conflict (partition) do update
      set applied = excluded.applied, published = excluded.published, replay_through = excluded.replay_through, server_started = excluded.server_started`;
    await insert(0, 7, 7, "this");
    await insert(1, 7, 7, "an earlier one");
    const waits = () =>
      assertReady().then(
        () => undefined,
        (error: unknown) => error as Error,
      );
    const quiet = await waits();
    t.type(quiet, ExpectedWait, "before the first look there is no warning");
    t.match(quiet?.message, /has not taken its partition 1 over since PostgreSQL was started/);
    await insert(1, 5, 9, "this");
    t.match((await waits())?.message, /still to apply 4 messages that its stream 1 held/);
    await insert(1, 9, 9, "this");
    t.equal(await waits(), undefined);
    await insert(5, 0, 9, "this");
    t.equal(await waits(), undefined, "a partition of before");
  },
);

t.test("await outcomes - settlements wait until all outcomes of before the start are done", async (t) => {
  const store = await testStore();
  const assertReady = awaitOutcomes(store, 2, "OUTCOMES", async () => {});
  const insert = (
    hop: string,
    partition: number,
    done: number,
    through: number | null,
    server: string,
  ) => store`
    insert into stream_places (hop, partition, done, session, replay_through, server_started)
    values (${hop}, ${partition}, ${done}, '', ${through}::bigint,
            case when ${server} = 'this' then pg_postmaster_start_time() else 'epoch' end)
    on conflict (hop, partition) do update
    set done = excluded.done, replay_through = excluded.replay_through, server_started = excluded.server_started`;
  const waits = () =>
    assertReady().then(
      () => undefined,
      (error: unknown) => error as Error,
    );
  t.equal(await waits(), undefined, "a new installation");
  await insert("OUTCOMES", 0, 7, 9, "an earlier one");
  await insert("OUTCOMES", 1, 3, null, "this");
  await insert("SETTLEMENT", 0, 1, 9, "an earlier one");
  const first = await waits();
  t.type(first, ExpectedWait);
  t.match(first?.message, /since PostgreSQL was started, no process has taken over outcomes of partition 0/);
  await insert("OUTCOMES", 0, 7, 9, "this");
  t.match((await waits())?.message, /2 messages of outcomes are still to be done that stream 0 held/);
  await insert("OUTCOMES", 0, 9, 9, "this");
  t.equal(await waits(), undefined);
  await insert("OUTCOMES", 2, 0, 9, "this");
  t.equal(await waits(), undefined, "a partition of before");
});

t.test(
  "regression - while ingest read again for longer than the patience with outcomes, that ran out",
  async (t) => {
    const store = await testStore();
    await store`
    insert into stream_places (hop, partition, done, session, replay_through)
    values ('OUTCOMES', 0, 7, '', 9)`;
    const clock = { ms: 0, isIngested: false };
    t.intercept(performance, "now", { value: () => clock.ms });
    const assertReady = awaitOutcomes(store, 1, "OUTCOMES", async () => {
      if (!clock.isIngested) throw new ExpectedWait("ingest");
    });
    await t.rejects(assertReady(), { message: "ingest" });
    clock.ms += 60_000;
    clock.isIngested = true;
    await t.rejects(assertReady(), { message: /2 messages of outcomes are still to be done/ });
    clock.ms += 29_000;
    await store`update stream_places set done = 8`;
    await t.rejects(assertReady(), { message: /1 messages of outcomes/ }, "progress renews the patience");
    clock.ms += 29_000;
    await t.rejects(assertReady(), { message: /1 messages of outcomes/ });
    clock.ms += 2_000;
    await t.resolves(assertReady(), "one that fails holds up the others no longer");
  },
);
