import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { FLOW } from "#contract";
import { connectStream, ensureTopology, streamName } from "#nats";
import { createLog, createRegistry, MetricFactory, serveOps } from "#runtime";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  type ServiceProcess,
  startPipeline,
  waitFor,
} from "#test-support";
import type { LiveHop, LiveState } from "./live-answer.ts";
import { LiveSampler } from "./live-sampler.ts";
import { StreamReader } from "./stream-reader.ts";

const log = createLog({ service: "test", level: "silent" });
const PAUSE_MS = 50;
const PATIENT = { deadlineMs: 60_000 };

/** The operations endpoints of a process of the pipeline, as in a process that was not forked. */
async function opsOf(t: Test, service: ServiceProcess): Promise<string> {
  const server = await serveOps((path, accept) => service.ops(path, accept), { host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

/** A sampler of these processes, like the console's. */
async function startSampler(t: Test, pipeline: Pipeline, services: readonly ServiceProcess[]) {
  const { natsUrl, streamPrefix: prefix } = pipeline;
  const stream = await connectStream({ url: natsUrl, name: "console", prefix, log });
  t.teardown(() => stream.close());
  const reader = new StreamReader(stream);
  const registry = createRegistry("console", "0");
  const urls = await Promise.all(services.map((service) => opsOf(t, service)));
  const metrics = new MetricFactory(registry);
  const sampler = new LiveSampler({ urls, readStreams: () => reader.read(), metrics, log });
  sampler.start();
  t.teardown(() => sampler.stop());
  return { sampler, stream, registry };
}

function hopOf(state: LiveState | null, name: string): LiveHop | undefined {
  return state?.hops.find((hop) => hop.name === name);
}

/** Polls like a page, until a sample is as expected. */
function sampled<T>(
  sampler: LiveSampler,
  isIt: (state: LiveState) => T | undefined | false,
  message: string,
) {
  return waitFor(
    async () => {
      const { now } = sampler.look();
      return (now !== null && isIt(now)) || undefined;
    },
    { ...PATIENT, message },
  );
}

/** Sends some events a second, until the test ends it. */
function load(pipeline: Pipeline, member: string): () => Promise<void> {
  const client = new PublisherClient(pipeline.edge.url ?? "", pipeline.publisher.token);
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      await client.ingest([makeEvent(member), makeEvent(member)]);
      await delay(PAUSE_MS);
    }
  };
  const running = Promise.allSettled([run(), run()]);
  return async () => {
    isOver = true;
    await running;
  };
}

t.test("live sampler - shows a pipeline under load, a killed process, and its return", async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_PARTITIONS: "4" } });
  t.teardown(() => pipeline.stop());
  const other = await pipeline.start("ingest");
  const { sampler, registry } = await startSampler(t, pipeline, [pipeline.edge, pipeline.ingest, other]);
  const owned = await sampled(
    sampler,
    (state) => hopOf(state, "ingest")?.processes.every(({ partitions }) => partitions.length === 2) && state,
    "both own two partitions",
  );
  const partitions = hopOf(owned, "ingest")?.processes.flatMap((process) => process.partitions);
  t.strictSame(partitions?.sort(), [0, 1, 2, 3]);
  t.match(hopOf(owned, "platform"), { state: "not asked", perSecond: null });

  const client = new PublisherClient(pipeline.edge.url ?? "", pipeline.publisher.token);
  const [member = ""] = await client.enrol("loaded");
  const end = load(pipeline, member);
  const busy = await sampled(
    sampler,
    (state) =>
      (state.requestsPerSecond ?? 0) > 0 &&
      ["edge", "ingest"].every((name) => {
        const hop = hopOf(state, name);
        // On a busy machine a sample may fall between two answers, and has no p99.
        return (hop?.perSecond ?? 0) > 0 && hop?.p99Seconds !== null;
      }) &&
      state,
    "events pass",
  );
  t.equal(busy.refusedPerSecond, 0);
  t.equal(busy.streamsProblem, null);
  for (const name of ["edge", "ingest"]) {
    const hop = hopOf(busy, name);
    t.ok((hop?.p99Seconds ?? 0) > 0 && (hop?.p99Seconds ?? 99) <= 10, `${name}: p99 ${hop?.p99Seconds}`);
    t.ok((hop?.lag ?? -1) >= 0, `${name}: ${hop?.lag} wait`);
  }
  const streams = hopOf(busy, "ingest")?.streams ?? [];
  t.equal(streams.length, 4);
  for (const { name, fill } of streams) t.ok(fill !== null && fill < 0.5, `${name}: ${fill}`);

  await other.kill();
  const without = await sampled(
    sampler,
    (state) => hopOf(state, "ingest")?.processes.some(({ state }) => state === "down") && state,
    "one is down",
  );
  t.match(hopOf(without, "ingest"), { state: "not ready", notes: ["1 of 2 processes does not answer"] });
  t.match(without.silent, [{ reason: /./ }]);
  const taken = await sampled(
    sampler,
    (state) => hopOf(state, "ingest")?.unowned === 0 && (hopOf(state, "ingest")?.perSecond ?? 0) > 0 && state,
    "the other has taken its partitions over",
  );
  const [first, second] = hopOf(taken, "ingest")?.processes ?? [];
  t.strictSame([...(first?.partitions ?? []), ...(second?.partitions ?? [])].sort(), [0, 1, 2, 3]);
  await pipeline.edge.kill();
  const dark = await sampled(
    sampler,
    (state) => hopOf(state, "edge")?.state === "down" && state,
    "edge is down",
  );
  t.match(hopOf(dark, "edge"), { perSecond: null, p99Seconds: null, lag: null, errorsPerSecond: null });
  t.match(dark, { requestsPerSecond: null, refusedPerSecond: null });
  await end();

  const { at, hops } = sampler.look();
  t.ok(at.length >= 4);
  t.ok(
    at.every((time, i) => i === 0 || time > (at[i - 1] ?? 0)),
    "in order",
  );
  t.ok(hops.every(({ perSecond }) => perSecond.length === at.length));
  t.ok(hops[0]?.perSecond.at(-1) === null && hops[0]?.perSecond.some((value) => (value ?? 0) > 0));
  const metrics = await registry.metrics();
  t.match(metrics, 'stampede_console_silent_addresses{service="console"} 2');
  t.match(metrics, 'stampede_console_streams_unread{service="console"} 0');
});

t.test("live sampler - a backlog grows while it has no reader, and disappears once it has one", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const { sampler } = await startSampler(t, pipeline, [pipeline.edge, pipeline.ingest]);
  const client = new PublisherClient(pipeline.edge.url ?? "", pipeline.publisher.token);
  const [member = ""] = await client.enrol("waiting");
  await sampled(sampler, (state) => hopOf(state, "ingest")?.lag === 0, "nothing waits");
  pipeline.ingest.child.kill("SIGSTOP");
  t.teardown(() => void pipeline.ingest.child.kill("SIGCONT"));
  await client.ingest([makeEvent(member)], { prefer: "respond-async" });
  const waiting = await sampled(
    sampler,
    (state) => {
      const { lag, oldestSeconds } = hopOf(state, "ingest") ?? {};
      return lag === 1 && (oldestSeconds ?? 0) > 2 && hopOf(state, "ingest");
    },
    "one message waits, for two seconds and more",
  );
  t.match(waiting, { state: "down", perSecond: null }, "frozen, it does not answer either");
  pipeline.ingest.child.kill("SIGCONT");
  await sampled(
    sampler,
    (state) => hopOf(state, "ingest")?.lag === 0 && hopOf(state, "ingest")?.state === "ready",
    "it is done",
  );
});

t.test("live sampler - a missing stream is reported, and so is NATS without an answer", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const { sampler, stream } = await startSampler(t, pipeline, [pipeline.edge, pipeline.ingest]);
  await sampled(sampler, (state) => hopOf(state, "ingest")?.lag === 0, "all streams are there");
  await stream.manager.streams.delete(streamName(stream, FLOW.ingest, 1));
  const missing = await sampled(
    sampler,
    (state) => hopOf(state, "ingest")?.streams.some((one) => one.missing) && hopOf(state, "ingest"),
    "one is missing",
  );
  t.match(missing, { lag: null, oldestSeconds: null });
  t.ok(missing.notes.includes("no stream INGEST_1"), missing.notes.join());
  await ensureTopology(stream, { partitions: 2, maxBytes: 2 ** 26, linkMaxBytes: 2 ** 26 });
  await stream.close();
  const blind = await sampled(sampler, (state) => state.streamsProblem !== null && state, "it is blind");
  t.match(blind, { streamsProblem: "no connection to NATS" });
  t.equal(hopOf(blind, "ingest")?.streams.length, 0);
});
