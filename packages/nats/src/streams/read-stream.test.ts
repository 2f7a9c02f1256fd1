import { randomUUID } from "node:crypto";
import t from "tap";
import { FLOW } from "#contract";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { publishOrThrow } from "../publish/publish.ts";
import { readStream, streamPlaces } from "./read-stream.ts";
import { streamName, subjectName } from "./stream-names.ts";
import { purgeThrough } from "./stream-state.ts";
import { ensureTopology } from "./topology.ts";

const TOPOLOGY = { partitions: 2, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 2 * 1024 * 1024 };

t.test("read stream - how full it is, and from when to when its messages are", async (t) => {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "fatal" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, TOPOLOGY);
  const place = { hop: FLOW.outcomes, partition: 1, name: "OUTCOMES_1" };
  t.match(await readStream(stream, place), { messages: 0, bytes: 0, limitBytes: 1024 * 1024, last: 0 });
  const startedAt = Date.now();
  for (let n = 0; n < 3; n++) {
    const subject = subjectName(stream, FLOW.outcomes, 1);
    await publishOrThrow(stream, { subject, payload: "{}", id: randomUUID() });
  }
  await purgeThrough(stream, FLOW.outcomes, 1, 1);
  const reading = await readStream(stream, place);
  t.match(reading, { messages: 2, first: 2, last: 3 });
  const { firstAt = 0, lastAt = 0, at = 0, bytes = 0 } = reading ?? {};
  t.ok(bytes > 0);
  // The server's clock is this machine's.
  t.ok(startedAt - 1 <= firstAt && firstAt <= lastAt && lastAt <= at && at <= Date.now() + 1);
  await stream.manager.streams.delete(streamName(stream, FLOW.outcomes, 1));
  t.equal(await readStream(stream, place), undefined);
});

t.test("read stream - all streams of an installation, each by its name in the flow table", async (t) => {
  t.strictSame(
    streamPlaces(2).map(({ name }) => name),
    [
      "INGEST_0",
      "INGEST_1",
      "PLATFORM_TX_0",
      "PLATFORM_TX_1",
      "OUTCOMES_0",
      "OUTCOMES_1",
      "SETTLEMENT_0",
      "SETTLEMENT_1",
      "CONFIG",
      "DEAD",
    ],
  );
});
