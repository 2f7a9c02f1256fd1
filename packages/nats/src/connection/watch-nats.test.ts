import t, { type Test } from "tap";
import { createLog, createRegistry, MetricFactory } from "#runtime";
import { isolation, privateNats, serveHttp, testServers, waitFor } from "#test-support";
import { PublishError } from "../publish/publish.ts";
import { connectStream } from "./connect.ts";
import { readServerReport, watchNats, weakestOf } from "./watch-nats.ts";

const log = createLog({ service: "test", level: "fatal" });

t.test("nats - a real server tells that it syncs every write, on its monitoring port", async (t) => {
  const server = await privateNats();
  t.teardown(() => server.remove());
  const { text, nats } = await watch(t, server.url, [server.monitorUrl]);
  t.match(await text(), 'stampede_nats_sync_mode{mode="always",service="test"} 1');
  t.match(await text(), 'stampede_nats_sync_mode{mode="interval",service="test"} 0');
  t.match(await text(), 'stampede_nats_sync_mode{mode="unknown",service="test"} 0');
  t.match(await text(), 'stampede_nats_connected{service="test"} 1');
  t.match(nats.check(), { ok: true, detail: /fsync mode: always$/ });
});

t.test("nats - without a monitoring port the mode is not known, and that is no warning", async (t) => {
  const { natsUrl } = await testServers();
  const { text, nats } = await watch(t, natsUrl, []);
  t.match(await text(), 'stampede_nats_sync_mode{mode="unknown",service="test"} 1');
  t.match(nats.check(), { ok: true, detail: /^connected to [^;]+$/ });
});

t.test("nats - a mode or a version that is weaker than promised is a warning, and no failure", async (t) => {
  const { natsUrl } = await testServers();
  const cases = [
    {
      varz: { version: "2.11.0", jetstream: { config: { sync_interval: 120e9 } } },
      warning: /does not sync every/,
    },
    { varz: { version: "2.9.25", jetstream: { config: {} } }, warning: /cannot sync every write/ },
    {
      varz: { version: "2.10.21", jetstream: { config: { sync_always: true } } },
      warning: /can lose messages of work-queue streams/,
    },
  ];
  for (const { varz, warning } of cases) {
    const url = await serveVarz(t, JSON.stringify(varz));
    const { nats } = await watch(t, natsUrl, [url]);
    t.match(nats.check(), { ok: true, detail: /; warning: / });
    t.match(nats.check().detail, warning);
  }
});

t.test(
  "nats - the weakest of several servers counts, and one that does not answer is not known",
  async (t) => {
    t.equal(weakestOf(["always", "always"]), "always");
    t.equal(weakestOf(["always", "unknown"]), "unknown");
    t.equal(weakestOf(["unknown", "interval", "always"]), "interval");
    t.equal(weakestOf([]), "unknown");
    await t.rejects(readServerReport(await serveVarz(t, "{}")), /is no monitoring port of NATS/);
    t.strictSame(await readServerReport(await serveVarz(t, '{"version":"2.14.0","jetstream":{}}')), {
      version: "2.14.0",
      syncMode: "unknown",
    });
    const server = await privateNats();
    t.teardown(() => server.remove());
    const { text } = await watch(t, server.url, [server.monitorUrl, await serveVarz(t, "no JSON")]);
    t.match(await text(), 'stampede_nats_sync_mode{mode="unknown",service="test"} 1');
  },
);

t.test("nats - a connection that breaks is seen, and counted when it is back", async (t) => {
  const server = await privateNats();
  t.teardown(() => server.remove());
  const { text } = await watch(t, server.url, [server.monitorUrl]);
  t.match(await text(), 'stampede_nats_reconnects_total{service="test"} 0');
  await server.kill();
  const shows = (line: string) => waitFor(async () => (await text()).includes(line), { message: line });
  await shows('stampede_nats_connected{service="test"} 0');
  t.match(await text(), 'stampede_nats_sync_mode{mode="always",service="test"} 1', "as it said last");
  await server.start();
  await shows('stampede_nats_connected{service="test"} 1');
  await shows('stampede_nats_reconnects_total{service="test"} 1');
});

t.test("nats - while messages are not stored, the server's own words are the cause", async (t) => {
  const { natsUrl } = await testServers();
  const error = "JetStream stream 'A > INGEST_0' write error: write /data/1.blk: no space left on device";
  const url = await serveMonitor(t, {
    "/varz": { status: 200, body: JSON.stringify({ version: "2.14.0", jetstream: {} }) },
    "/healthz": { status: 503, body: JSON.stringify({ status: "unavailable", error }) },
  });
  const { stream } = await watch(t, natsUrl, [url]);
  t.equal(stream.progress.natsComplaint, undefined, "nothing is slow, and nothing is asked");
  const work = stream.progress.begin("publish to ingest.0");
  work.refused(new PublishError("ingest.0", "TimeoutError"));
  await waitFor(() => stream.progress.standing()[0]?.cause === "disk", { message: "the disk is the cause" });
  t.match(stream.progress.check(), { ok: false, detail: /\(disk: NATS: .* no space left on device\): free/ });
  work.done();
  await waitFor(() => stream.progress.natsComplaint === undefined, { message: "it is over" });
});

async function watch(t: Test, url: string, monitorUrls: readonly string[]) {
  const registry = createRegistry("test", "0");
  const stream = await connectStream({ url, name: "test", prefix: isolation(), log });
  const nats = await watchNats(stream, {
    settings: { natsMonitorUrls: monitorUrls },
    metrics: new MetricFactory(registry),
    log,
  });
  t.teardown(async () => {
    nats.stop();
    await stream.close();
  });
  return { nats, stream, text: () => registry.metrics() };
}

const serveVarz = (t: Test, body: string) => serveMonitor(t, { "/varz": { status: 200, body } });

async function serveMonitor(
  t: Test,
  answers: Readonly<Record<string, { readonly status: number; readonly body: string }>>,
): Promise<string> {
  const { url } = await serveHttp(t, (request, response) => {
    const { status = 404, body = "" } = answers[request.url ?? ""] ?? {};
    response.writeHead(status).end(body);
  });
  return url;
}
