import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { connectTo, makeEvent, PublisherClient, startPipeline, waitFor } from "#test-support";

/**
 * A process loses the session of its locks, and gets its partition again while an earlier batch is under way.
 * That batch belongs to an ownership that is over. Nothing of it may be committed under the new one, whose
 * book does not know its messages: the position would stand still from then on, and the stream would fill for
 * ever.
 */
t.test(
  "a partition that is lost and gained during a bulk batch is purged behind it, and goes on",
  async (t) => {
    const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "1" } });
    t.teardown(() => pipeline.stop());
    const { store } = pipeline;
    const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    const [member] = (await client.enrol("regained")) as [string];
    const known = makeEvent(member);
    t.match(await client.ingest([known]), { status: 200 });
    const epoch = async () => {
      const [row] = await store<{ epoch: number }[]>`select epoch from ingest_positions`;
      return row?.epoch as number;
    };
    const before = await epoch();

    const bulk = [
      { ...known, cleared_at: "2026-03-02T10:00:00Z" },
      ...Array.from({ length: 200 }, () => makeEvent(member)),
    ];
    await store.begin(async (sql) => {
      await sql`select from transactions where external_id = ${known.external_id} for update`;
      t.match(await client.ingest(bulk, { prefer: "respond-async" }), { status: 202 });
      const isWaiting = async () =>
        (
          await store`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and application_name = 'stampede-ingest'`
        ).length > 0;
      await waitFor(isWaiting, { message: "the batch does not come to the row" });
      await store`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'stampede-ingest-locks' and datname = current_database()`;
      await waitFor(async () => (await epoch()) > before, {
        message: "the partition is not taken over again",
      });
      const owns = async () => /owns 1 of 1/.test((await pipeline.ingest.ops("/readyz?verbose")).body);
      await waitFor(owns, { message: "it does not own the partition again" });
    });

    const nats = await connectTo(pipeline);
    t.teardown(() => nats.close());
    const manager = await jetstreamManager(nats);
    const left = async () => (await manager.streams.info(`${pipeline.streamPrefix}INGEST_0`)).state.messages;
    await waitFor(async () => (await left()) === 0, { message: "the messages stay in the stream" });
    t.match(await client.ingest([makeEvent(member)]), { status: 200 });
    await waitFor(async () => (await left()) === 0, { message: "the next one stays" });
    const [{ count }] = await store<[{ count: number }]>`select count(*)::int as count from transactions`;
    t.equal(count, 202);
  },
);
