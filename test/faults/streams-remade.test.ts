import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { connectStream, ensureTopology } from "#nats";
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
 * NATS loses its files, or gets those of an older copy, under a running ingest. Sequences begin anew, or again, and those that
 * ingest has read stand for other messages: what was answered 200 or 202 behind that must be applied all the same.
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
  /** Sends until it is accepted, as integrators do. @param waiting how many of the callers wait for the outcome */
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
  return { servers, pipeline, sendEach, allApplied };
}

async function missing({ store }: Pipeline, sent: ReadonlySet<string>): Promise<string[]> {
  const rows = await store<{ ref: string }[]>`select external_id as ref from transactions`;
  const stored = new Set(rows.map(({ ref }) => ref));
  return [...sent].filter((ref) => !stored.has(ref));
}

/** Streams as `stampede migrate` makes them. */
async function makeStreams({ natsUrl, streamPrefix: prefix }: Pipeline): Promise<void> {
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix, log });
  const maxBytes = 64 * 1024 * 1024;
  await ensureTopology(stream, { partitions: 1, maxBytes, linkMaxBytes: maxBytes });
  await stream.close();
}

const gapsOf = async (pipeline: Pipeline) =>
  (await pipeline.ingest.ops("/metrics")).body
    .split("\n")
    .filter((line) => line.startsWith("stampede_ingest_lost_messages_total") && !line.endsWith(" 0"));

t.test(
  "streams that are made anew under a running ingest: what is accepted behind that is applied",
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
    t.match(pipeline.ingest.output(), /another one; taking the partition over anew/);
    t.strictSame(await gapsOf(pipeline), [], "nothing of the old stream was left undone");
  },
);

t.test("a NATS that is restored from an older copy under a running ingest: the same", async (t) => {
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
  // More than the copy lacks: the sequences that ingest knows are passed again.
  await sendEach(AFTER, 0);
  await allApplied();
});
