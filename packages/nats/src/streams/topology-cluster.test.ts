import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import t from "tap";
import { FLOW, type Hop } from "#contract";
import { createLog } from "#runtime";
import { isolation, startNatsCluster, testServers, waitFor } from "#test-support";
import { connectStream, type Stream } from "../connection/connect.ts";
import { publishOnce } from "../publish/publish.ts";
import { streamName } from "./stream-names.ts";
import { ensureTopology } from "./topology.ts";

const OPTIONS = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 3 * 1024 * 1024 };
const log = createLog({ service: "test", level: "fatal" });

/** New copies elect a leader: up to 9 s, and again after a tie. */
const PATIENT = { deadlineMs: 60_000 };

t.setTimeout(400_000);

/** The number of servers with each stream, and the wanted number of copies. */
async function copies(stream: Stream): Promise<string[]> {
  const found: string[] = [];
  for (const hop of Object.values<Hop>(FLOW)) {
    for (const partition of hop.partitioned ? [0, 1] : [0]) {
      const name = streamName(stream, hop, partition);
      const { config, cluster } = await stream.manager.streams.info(name);
      found.push(`${hop.stream} ${config.num_replicas}/${1 + (cluster?.replicas?.length ?? 0)}`);
    }
  }
  return found;
}

t.test("topology - as many copies as are asked for, later too, and never fewer", async (t) => {
  const cluster = await startNatsCluster();
  t.teardown(() => cluster.remove());
  const stream = await connectStream({ url: cluster.url, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  const partitioned = ["INGEST", "PLATFORM_TX", "OUTCOMES", "SETTLEMENT"].flatMap((name) => [name, name]);
  const expected = (count: number) =>
    [...partitioned, "CONFIG", "DEAD"].map((name) => `${name} ${count}/${count}`);
  await ensureTopology(stream, OPTIONS);
  t.strictSame(await copies(stream), expected(1));
  const stores = (payload: string) => async () => {
    const publication = { subject: `${stream.prefix}ingest.0`, payload, id: payload };
    return (await publishOnce(stream, publication)).kind === "stored";
  };
  await waitFor(stores("before"), { ...PATIENT, message: "a stream that is new takes nothing" });

  await ensureTopology(stream, { ...OPTIONS, replicas: 3 });
  const isRaised = async () => isDeepStrictEqual(await copies(stream), expected(3));
  await waitFor(isRaised, { ...PATIENT, message: "the streams have not three copies" });
  await waitFor(stores("after"), { ...PATIENT, message: "a stream takes nothing since it has more copies" });
  const { state } = await stream.manager.streams.info(streamName(stream, FLOW.ingest, 0));
  t.equal(state.messages, 2, "its messages are kept");

  await ensureTopology(stream, OPTIONS);
  t.strictSame(await copies(stream), expected(3), "a process without the setting takes nothing away");
  await t.rejects(ensureTopology(stream, { ...OPTIONS, replicas: 5 }), {
    name: "StartError",
    code: "stream_placement",
    message: /has not 5 servers .* STAMPEDE_STREAM_REPLICAS/,
  });

  // An unhandled rejection would end the process, and here it fails the test.
  const closed = await connectStream({ url: cluster.url, name: "test", prefix: isolation(), log });
  await closed.close();
  closed.unheard(performance.now() - 60_000);
  await setImmediate();
  t.pass("regression - an answer that was missing when the connection was closed ended the process");
});

t.test("topology - several copies on a single server: the error has advice", async (t) => {
  const { natsUrl } = await testServers();
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await t.rejects(ensureTopology(stream, { ...OPTIONS, replicas: 3 }), {
    name: "StartError",
    code: "stream_replicas",
    message: /INGEST_0 .* alone: run a cluster of 3, or set STAMPEDE_STREAM_REPLICAS=1/,
  });
});
