import { jetstreamManager } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { partitionOf } from "#domain";
import { connectTo, makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/** Two partitions, each with an owner of its own, and how to make events for one of them. */
async function startTwoOwners(t: Test) {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "2" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("late parts")) as [string];
  const second = await pipeline.start("ingest");
  const owns = async (service: typeof second) => (await service.ops("/readyz?verbose")).body;
  await waitFor(async () => /owns 1 of 2/.test(await owns(second)), {
    message: "the second owner has no partition",
  });
  await waitFor(async () => /owns 1 of 2/.test(await owns(pipeline.ingest)), {
    message: "the first keeps both",
  });
  const inPartition = (partition: number, of = member) => {
    let event = makeEvent(of);
    while (partitionOf(event.external_id, 2) !== partition) event = makeEvent(of);
    return event;
  };
  return { pipeline, client, second, inPartition };
}

const told = async (pipeline: Pipeline) =>
  (await pipeline.store<{ body: string }[]>`select body from events where type = 'transaction.rejected'`).map(
    ({ body }) => JSON.parse(body).transaction_ref,
  );

t.test(
  "a 202 that stays pending: one part rejected in time and another late are both in the batch, and told once",
  async (t) => {
    const { pipeline, client, second, inPartition } = await startTwoOwners(t);
    second.child.kill("SIGSTOP");
    t.teardown(() => second.child.kill("SIGCONT"));
    const nobody = "m_01h455vb4pex5vsknk084sn02q";
    const events = [0, 1].flatMap((partition) => [inPartition(partition), inPartition(partition, nobody)]);
    const answer = await client.ingest(events);
    t.match(answer, { status: 202, body: { status: "accepted" } });
    const batch = () => client.post("transaction.batch/get", { id: answer.body.batch_id });
    t.match(await batch(), { body: { status: "pending" } });
    second.child.kill("SIGCONT");
    const done = await waitFor(
      async () => {
        const answer = await batch();
        return answer.body.status === "processed" && answer;
      },
      { message: "the batch stays pending", deadlineMs: 60_000 },
    );
    t.match(done.body, { accepted: 2, rejected: [{ index: 1 }, { index: 3 }] });
    t.strictSame((await told(pipeline)).sort(), [events[1]?.external_id, events[3]?.external_id].sort());
  },
);

t.test(
  "an edge that is frozen with the report: what it does not confirm to have told is recorded, and told once",
  async (t) => {
    const { pipeline, client, second, inPartition } = await startTwoOwners(t);
    const owners = [pipeline.ingest, second];
    const nobody = "m_01h455vb4pex5vsknk084sn02q";
    const event = inPartition(0, nobody);
    for (const { child } of owners) child.kill("SIGSTOP");
    const answer = client.ingest([event]).catch(() => undefined);
    const nats = await connectTo(pipeline);
    t.teardown(() => nats.close());
    const manager = await jetstreamManager(nats);
    const stored = async () =>
      (await manager.streams.info(`${pipeline.streamPrefix}INGEST_0`)).state.last_seq;
    await waitFor(async () => (await stored()) === 1, { message: "the edge publishes nothing" });
    pipeline.edge.child.kill("SIGSTOP");
    for (const { child } of owners) child.kill("SIGCONT");
    const isTold = async () => (await told(pipeline)).includes(event.external_id);
    await waitFor(isTold, { message: "nobody is told", deadlineMs: 60_000 });
    pipeline.edge.child.kill("SIGCONT");
    await answer;
    t.strictSame(await told(pipeline), [event.external_id]);
  },
);
