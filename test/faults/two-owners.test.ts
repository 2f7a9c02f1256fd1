import t from "tap";
import { makeEvent, PublisherClient, startPipeline, waitFor } from "#test-support";

/**
 * A process that is frozen keeps its messages and its belief that it owns the partition, while Postgres ends its session and
 * another process takes over. When it goes on, nothing that it writes may be committed.
 */
t.test("two owners of a partition: the replaced one commits nothing, and reports what it owns", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "1" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("two owners")) as [string];
  const known = makeEvent(member);
  t.match(await client.ingest([known]), { status: 200, body: { created: 1 } });
  const { ingest: frozen, store } = pipeline;

  frozen.child.kill("SIGSTOP");
  // The stream sends these to the frozen process: they lie in its socket.
  const early = [known, makeEvent(member), makeEvent(member)].map((event) => ({
    ...event,
    cleared_at: "2026-03-02T10:00:00Z",
    amount: 111,
    currency: "EUR",
  }));
  for (const event of early) {
    t.match(await client.ingest([event], { prefer: "respond-async" }), { status: 202 });
  }
  await store`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'stampede-ingest-locks' and datname = current_database()`;
  const next = await pipeline.start("ingest");
  const applied = () => store`select 1 from transactions where state = 'cleared'`;
  await waitFor(async () => (await applied()).length === 3, { message: "the next owner does not apply" });
  const late = early.map((event) => ({ ...event, cleared_at: "2026-03-03T10:00:00Z", amount: 222 }));
  t.match(await client.ingest(late), { status: 200, body: { unchanged: 3 } });

  frozen.child.kill("SIGCONT");
  await waitFor(
    () => frozen.output().includes("partitions are lost") || frozen.output().includes("partition lost"),
    {
      message: "the frozen process does not notice",
    },
  );
  for (let n = 0; n < 5; n++)
    t.match(await client.ingest([makeEvent(member)]), { status: 200, body: { created: 1 } });
  t.match((await frozen.ops("/metrics")).body, /stampede_ingest_events_total\{result="updated"[^}]*\} 0/);
  t.match((await next.ops("/readyz?verbose")).body, "owns 1 of 1");
  t.match((await frozen.ops("/readyz?verbose")).body, "owns 0 of 1");
  const rows = await store<{ amount: number; count: number }[]>`
    select amount, count(*)::int as count from transactions where state = 'cleared' group by amount`;
  t.strictSame([...rows], [{ amount: 111, count: 3 }]);
});
