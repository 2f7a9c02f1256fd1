import { jetstreamManager } from "@nats-io/jetstream";
import t from "tap";
import { EventReader, type IngestHead } from "#contract/codec";
import type { IngestReply } from "#contract/ingest";
import { partitionOf } from "#domain";
import { connectTo, makeEvent, type Pipeline, PublisherClient, startPipeline, waitFor } from "#test-support";

/**
 * The next owner of a partition may report a part again. The second report of one part must not count as the first of
 * another: the request would be answered 200 although some of its parts are not committed.
 */
t.test("a part that is reported twice counts once: no 200 before every part is committed", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "2" } });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("twice")) as [string];
  await pipeline.ingest.stop();
  const events = [0, 1].map((partition) => {
    let event = makeEvent(member);
    while (partitionOf(event.external_id, 2) !== partition) event = makeEvent(member);
    return event;
  });

  let status: number | undefined;
  const answer = client.ingest(events).then((answer) => {
    status = answer.status;
    return answer;
  });
  const nats = await connectTo(pipeline);
  const message = await waitFor(() => firstMessage(pipeline, nats), { message: "nothing was published" });
  const [part] = message.parts;
  const counts = { created: 1, updated: 0, unchanged: 0, rejected: [], ignored: [], ignoredCount: 0 };
  const reply = { parts: [{ batch: part?.batch, first: 0, ...counts }] };
  for (let i = 0; i < 2; i++) nats.publish(message.reply, JSON.stringify(reply as unknown as IngestReply));
  await nats.flush();
  // One round trip to the edge, after which it has the reports. (If it had them later, this look would miss a
  // fault, not cause one.)
  await pipeline.edge.ops("/livez");
  t.equal(status, undefined, "one of two parts is reported");

  await pipeline.start("ingest");
  const answered = await answer;
  // If ingest is slow to start, the time is up before: the answer must only never be a 200 for a part.
  const processed = { status: 200, body: { accepted: 2, created: 2, updated: 0, unchanged: 0 } };
  t.match(answered, answered.status === 202 ? { body: { accepted: 2 } } : processed);
  await waitFor(async () => (await pipeline.store`select 1 from transactions`).length === 2, {
    message: "they are not applied",
  });
  await nats.close();
});

async function firstMessage(
  pipeline: Pipeline,
  nats: Awaited<ReturnType<typeof connectTo>>,
): Promise<IngestHead | undefined> {
  const manager = await jetstreamManager(nats);
  const message = await manager.streams.getMessage(`${pipeline.streamPrefix}INGEST_0`, { seq: 1 });
  return message === null ? undefined : new EventReader(message.data).head;
}
