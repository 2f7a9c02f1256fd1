import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { FLOW, LIMITS } from "#contract";
import { connectStream, ensureTopology, type Stream, streamName } from "#nats";
import { createLog } from "#runtime";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  privateServers,
  startPipeline,
  waitFor,
} from "#test-support";

/*
 * NATS loses its files, or gets those of an older copy, under a running ingest. Sequences begin again, or go
 * back, and those that ingest has read belong to other messages: later events that were answered 200 or 202
 * must still be applied.
 */

const BEFORE = 24;
const AFTER = 40;

async function setUp(t: Test) {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const pipeline = await startPipeline({
    databaseUrl: await servers.postgres.databaseUrl(),
    natsUrl: servers.nats.url,
    env: { STAMPEDE_PARTITIONS: "1" },
  });
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("remade")) as [string];
  const sent = new Set<string>();
  /**
   * Repeats the events until they are accepted, as integrators do. @param waiting how many of the callers
   * wait for the outcome
   */
  const sendEach = async (count: number, waiting = count / 2) => {
    for (let n = 0; n < count; n++) {
      const event = makeEvent(member);
      const headers: Record<string, string> = n >= waiting ? { prefer: "respond-async" } : {};
      await waitFor(async () => [200, 202].includes((await client.ingest([event], headers)).status), {
        message: "it is not accepted",
      });
      sent.add(event.external_id);
    }
  };
  const allApplied = async () => {
    await waitFor(async () => (await missing(pipeline, sent)).length === 0, {
      message: "accepted, and lost without a word",
    });
    const behind = () => pipeline.store`select from ingest_positions where published < applied`;
    await waitFor(async () => (await behind()).length === 0, { message: "what follows is not published" });
  };
  return { servers, pipeline, client, member, sendEach, allApplied };
}

async function missing({ store }: Pipeline, sent: ReadonlySet<string>): Promise<string[]> {
  const rows = await store<{ ref: string }[]>`select external_id as ref from transactions`;
  const stored = new Set(rows.map(({ ref }) => ref));
  return [...sent].filter((ref) => !stored.has(ref));
}

/** Streams as `stampede migrate` makes them. */
function makeStreams(pipeline: Pipeline): Promise<void> {
  const maxBytes = 64 * 1024 * 1024;
  return withStream(pipeline, (stream) =>
    ensureTopology(stream, { partitions: 1, maxBytes, linkMaxBytes: maxBytes }),
  );
}

async function withStream(
  { natsUrl, streamPrefix: prefix }: Pipeline,
  work: (stream: Stream) => Promise<unknown>,
): Promise<void> {
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
  await work(stream);
  await stream.close();
}

const gapsOf = async (pipeline: Pipeline) =>
  (await pipeline.ingest.ops("/metrics")).body
    .split("\n")
    .filter((line) => line.startsWith("stampede_stream_lost_messages_total") && !line.endsWith(" 0"));

t.test(
  "streams that are recreated under a running ingest: events that are accepted later are applied",
  async (t) => {
    const { servers, pipeline, sendEach, allApplied } = await setUp(t);
    await sendEach(BEFORE);
    await allApplied();
    await servers.nats.stop();
    rmSync(join(servers.nats.dataDir, "data"), { recursive: true });
    await servers.nats.start();
    await makeStreams(pipeline);
    await sendEach(AFTER);
    await allApplied();
    t.match(pipeline.ingest.output(), /the stream was replaced; taking the partition over again/);
    t.strictSame(await gapsOf(pipeline), [], "no message of the old stream is left undone");
  },
);

t.test(
  "a NATS that is restored from an older copy under a running ingest: events that are accepted later are applied",
  async (t) => {
    const { servers, sendEach, allApplied } = await setUp(t);
    await sendEach(BEFORE);
    await allApplied();
    const { dataDir } = servers.nats;
    await servers.nats.stop();
    cpSync(dataDir, `${dataDir}-copy`, { recursive: true });
    await servers.nats.start();
    await sendEach(BEFORE);
    await allApplied();
    await servers.nats.stop();
    rmSync(dataDir, { recursive: true });
    cpSync(`${dataDir}-copy`, dataDir, { recursive: true });
    await servers.nats.start();
    // More than the copy lacks, so that the new sequences pass those that ingest knows.
    await sendEach(AFTER, 0);
    await allApplied();
  },
);

t.test(
  "a live stream that is purged by hand: lost events are named, and the ids of their batches say so",
  async (t) => {
    const { pipeline, client, member } = await setUp(t);
    const accept = async () => {
      const { body } = await client.ingest([makeEvent(member)], { prefer: "respond-async" });
      return body.batch_id as string;
    };
    const statusOf = async (id: string) => (await client.post("transaction.batch/get", { id })).body.status;
    const become = (id: string, wanted: string) =>
      waitFor(async () => (await statusOf(id)) === wanted, { message: `${id} does not become ${wanted}` });
    await become(await accept(), "processed");
    // Ingest cannot move its position meanwhile, and reads no further ahead than it may.
    const ids: string[] = [];
    await pipeline.store.begin(async (sql) => {
      await sql`select from ingest_positions for update`;
      for (let n = 0; n < LIMITS.messagesAhead + 20; n++) ids.push(await accept());
      await withStream(pipeline, (stream) =>
        stream.manager.streams.purge(streamName(stream, FLOW.ingest, 0)),
      );
    });
    const later = await accept();
    await become(later, "processed");
    t.equal(await statusOf(ids[0] as string), "processed", "ingest had read it before the purge");
    t.equal(await statusOf(ids.at(-1) as string), "lost");
    t.match(pipeline.ingest.output(), /messages that were not applied are gone from the stream/);
    t.match(await gapsOf(pipeline), [/stream_shorter/]);
  },
);
