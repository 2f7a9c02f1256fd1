import { RetentionPolicy } from "@nats-io/jetstream";
import t from "tap";
import { createLog } from "#runtime";
import { isolation, startNatsCluster, testServers, waitFor } from "#test-support";
import { connectStream } from "../connection/connect.ts";
import { inspectTopology } from "./inspect-topology.ts";
import { ensureTopology } from "./topology.ts";

const OPTIONS = { partitions: 1, maxBytes: 2 * 1024 * 1024, linkMaxBytes: 2 * 1024 * 1024, replicas: 3 };
/** The copies elect their leaders, and the loss of one is noticed, within seconds. */
const PATIENT = { deadlineMs: 60_000 };

t.setTimeout(400_000);

t.test("topology - streams of an older release are reported, and whether they hold messages", async (t) => {
  const { natsUrl } = await testServers();
  const log = createLog({ service: "test", level: "silent" });
  const stream = await connectStream({ url: natsUrl, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  const options = { ...OPTIONS, replicas: 1 };
  await ensureTopology(stream, options);
  t.strictSame((await inspectTopology(stream, options)).findings, []);
  for (const [name, subject] of [
    ["PLATFORM_TX", "platform.transactions"],
    ["OUTCOMES", "outcomes"],
  ] as const) {
    const [own, subjects] = [stream.prefix + name, [stream.prefix + subject]];
    await stream.manager.streams.add({ name: own, subjects, retention: RetentionPolicy.Workqueue });
  }
  await stream.jetstream.publish(`${stream.prefix}outcomes`, "{}");
  const { findings } = await inspectTopology(stream, options);
  t.strictSame(
    findings.map(({ severity }) => severity),
    ["warn", "fail"],
  );
  t.match(findings[1]?.detail, /OUTCOMES is of an older release .* its 1 messages, then delete it/);
});

t.test("topology - copies that are missing or behind are found, and nothing is changed", async (t) => {
  const cluster = await startNatsCluster();
  t.teardown(() => cluster.remove());
  const log = createLog({ service: "test", level: "silent" });
  const stream = await connectStream({ url: cluster.url, name: "test", prefix: isolation(), log });
  t.teardown(() => stream.close());
  await ensureTopology(stream, { ...OPTIONS, replicas: 1 });
  const one = await inspectTopology(stream, OPTIONS);
  t.equal(one.present, 6);
  const lackCopies = /^\w+ and 5 others: each has 1 copies, not 3: the next start of a service adds them$/;
  t.match(one.findings, [{ severity: "warn", detail: lackCopies }]);
  t.equal(one.findings.length, 1, "one mistake is one line");
  t.equal((await inspectTopology(stream, OPTIONS)).findings.length, 1, "looking has added none");

  await ensureTopology(stream, OPTIONS);
  const isWell = async () => {
    const { findings, present, wanted } = await inspectTopology(stream, OPTIONS);
    return findings.length === 0 && present === wanted;
  };
  await waitFor(isWell, { ...PATIENT, message: "all copies are up to date" });
  await cluster.kill(2);
  const lacksOne = /^\w+ and 5 others: each has copies that are not up to date, on \S+$/;
  await waitFor(
    async () => {
      const { findings } = await inspectTopology(stream, OPTIONS);
      const isSo = findings.every(({ severity, detail }) => severity === "warn" && lacksOne.test(detail));
      return findings.length === 1 && isSo;
    },
    { ...PATIENT, message: "every stream is said to miss the copy of the dead server, and nothing else" },
  );
  await cluster.start(2);
  await waitFor(isWell, { ...PATIENT, message: "the copies have caught up" });
});
