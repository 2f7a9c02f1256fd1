import { jetstreamManager } from "@nats-io/jetstream";
import t, { type Test } from "tap";
import { partitionOf } from "#domain";
import {
  connectTo,
  makeEvent,
  type Pipeline,
  PublisherClient,
  startPipeline,
  TcpProxy,
  waitFor,
  waitForLocks,
} from "#test-support";
import { holdWrites } from "./publisher-scene.ts";

/** A member that does not exist. */
const UNKNOWN_MEMBER = "m_01h455vb4pex5vsknk084sn02q";

/** Two partitions, each with its own owner, and a maker of events for one of them. */
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
  "a 202 that stays pending: one part rejected in time and another late are both in the batch, and no webhook is told",
  async (t) => {
    const { pipeline, client, second, inPartition } = await startTwoOwners(t);
    second.child.kill("SIGSTOP");
    t.teardown(() => second.child.kill("SIGCONT"));
    const events = [0, 1].flatMap((partition) => [
      inPartition(partition),
      inPartition(partition, UNKNOWN_MEMBER),
    ]);
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
      { message: "the batch stays pending" },
    );
    t.match(done.body, { accepted: 2, rejected: [{ index: 1 }, { index: 3 }] });
    t.strictSame(await told(pipeline), [], "the caller waited");
  },
);

t.test("an edge that dies with the report: a rejection is kept all the same, once", async (t) => {
  const { pipeline, client, second, inPartition } = await startTwoOwners(t);
  const owners = [pipeline.ingest, second];
  const event = inPartition(0, UNKNOWN_MEMBER);
  for (const { child } of owners) child.kill("SIGSTOP");
  const answer = client.ingest([event]).catch(() => undefined);
  const nats = await connectTo(pipeline);
  t.teardown(() => nats.close());
  const manager = await jetstreamManager(nats);
  const stored = async () => (await manager.streams.info(`${pipeline.streamPrefix}INGEST_0`)).state.last_seq;
  await waitFor(async () => (await stored()) === 1, { message: "the edge publishes nothing" });
  await pipeline.edge.kill();
  for (const { child } of owners) child.kill("SIGCONT");
  const kept = () => pipeline.store`
    select external_id from transaction_rejections where external_id is not null`;
  await waitFor(async () => (await kept()).length > 0, { message: "it is not kept" });
  await answer;
  t.strictSame(await kept(), [{ external_id: event.external_id }]);
  t.strictSame(await told(pipeline), []);
});

/** A pipeline of one partition, whose only ingest process speaks to NATS through a proxy. */
async function startProxiedIngest(t: Test) {
  const pipeline = await startPipeline({ begin: ["edge"], env: { STAMPEDE_PARTITIONS: "1" } });
  t.teardown(() => pipeline.stop());
  const proxy = await TcpProxy.start(pipeline.natsUrl);
  t.teardown(() => proxy.close());
  const ingest = await pipeline.start("ingest", { NATS_URL: proxy.through(pipeline.natsUrl) });
  return {
    pipeline,
    client: new PublisherClient(pipeline.edge.url, pipeline.publisher.token),
    ingest,
    proxy,
  };
}

t.test(
  "an ingest killed -9 between its commit and its report: 202 after the wait, and its id leads to the outcome, which counts once",
  async (t) => {
    const { pipeline, client, ingest, proxy } = await startProxiedIngest(t);
    const [member] = (await client.enrol("killed")) as [string];
    const [good, unknown] = [makeEvent(member), makeEvent(UNKNOWN_MEMBER)];
    // Ingest has the message and cannot commit it until none of its messages reaches anyone any more.
    const letGo = await holdWrites(pipeline);
    const answer = client.ingest([unknown, good], { prefer: "return=representation" });
    await waitForLocks(pipeline.store);
    proxy.freeze();
    await letGo();
    const applied = async () => (await pipeline.store`select from transaction_rejections`).length > 0;
    await waitFor(applied, { message: "it is not committed" });
    await ingest.kill();
    const { status, body } = await answer;
    t.equal(status, 202);
    const found = await client.post("transaction.batch/get", { id: body.batch_id });
    t.match(found.body, { status: "processed", accepted: 1, rejected: [{ index: 0, code: "not_found" }] });
    t.strictSame(await told(pipeline), []);

    await pipeline.start("ingest");
    t.match(await client.ingest([good]), { status: 200, body: { created: 0, unchanged: 1 } });
    t.equal((await pipeline.store`select from transactions`).length, 1);
  },
);
