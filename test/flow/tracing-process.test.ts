import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { FLOW, HEADERS } from "#contract";
import {
  makeEvent,
  type Pipeline,
  PublisherClient,
  readMessages,
  startOtlpCollector,
  startPipeline,
  waitFor,
} from "#test-support";

/**
 * The cost of tracing for a process that has it off, or whose collector is away, and the fate of the last
 * spans.
 */
t.setTimeout(400_000);

const RECORD = new URL("../support/record-modules.js", import.meta.url).href;

/** An edge and an ingest that record every module they load. */
async function recorded(t: Test, env: NodeJS.ProcessEnv) {
  const file = join(t.testdir({ modules: "" }), "modules");
  const pipeline = await startPipeline({
    env: { ...env, RECORDED_MODULES: file },
    execArgv: ["--import", RECORD],
  });
  t.teardown(() => pipeline.stop());
  return { pipeline, modules: () => readFileSync(file, "utf8").split("\n") };
}

async function ingestOne(pipeline: Pipeline, traceparent: string) {
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member = ""] = await client.enrol("ada");
  return client.ingest([makeEvent(member)], { traceparent });
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const isOpenTelemetry = (url: string) => url.includes("@opentelemetry");

/** The headers of ingest's message about the one event: no service reads it in these pipelines. */
async function publishedHeaders(pipeline: Pipeline): Promise<Readonly<Record<string, string>>> {
  const { stream } = FLOW.platformTransactions;
  const [message] = await waitFor(
    async () => {
      const messages = await readMessages(pipeline, stream);
      return messages.length > 0 && messages;
    },
    { message: "ingest published nothing" },
  );
  return message?.headers ?? {};
}

t.test("tracing is off - no module of OpenTelemetry is loaded, no header is sent", async (t) => {
  const { pipeline, modules } = await recorded(t, {});
  const answer = await ingestOne(pipeline, TRACEPARENT);
  t.equal(answer.headers["x-trace-id"], TRACE, "the trace id of the contract is not tracing");
  t.notOk(HEADERS.traceparent in (await publishedHeaders(pipeline)));
  t.ok(
    modules().some((url) => url.includes("/pino/")),
    "the record of modules works",
  );
  t.strictSame(modules().filter(isOpenTelemetry), []);
});

t.test("tracing is on - a process that stops sends its last spans before it ends", async (t) => {
  const collector = await startOtlpCollector();
  t.teardown(() => collector.close());
  const { pipeline, modules } = await recorded(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // Longer than the test: only the end sends the spans.
    OTEL_BSP_SCHEDULE_DELAY: "600000",
    OTEL_SERVICE_NAME: "ours",
  });
  await ingestOne(pipeline, TRACEPARENT);
  t.match((await publishedHeaders(pipeline))[HEADERS.traceparent], /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  t.ok(modules().some(isOpenTelemetry));
  t.equal(collector.spans.length, 0);
  t.equal(await pipeline.edge.stop(), 0);
  t.equal(await pipeline.ingest.stop(), 0);
  const names = collector.spans.filter(({ traceId }) => traceId === TRACE).map(({ name }) => name);
  t.strictSame(names.sort(), [
    "POST /publisher.v1/transaction/ingest",
    "commit",
    "hash",
    "process INGEST",
    "publish",
    "send INGEST",
  ]);
  t.ok(collector.spans.every(({ service }) => service === "ours"));
});

t.test(
  "if the collector is away, spans are lost and one warning is logged, but no request fails",
  async (t) => {
    const pipeline = await startPipeline({
      env: {
        // The discard port: no process listens there.
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:PASSWORD@127.0.0.1:9",
        OTEL_EXPORTER_OTLP_TIMEOUT: "200",
        OTEL_BSP_SCHEDULE_DELAY: "20",
      },
    });
    t.teardown(() => pipeline.stop());
    const { edge } = pipeline;
    const warnings = () =>
      edge
        .output()
        .split("\n")
        .filter((line) => line.includes("traces cannot be exported"));
    for (let i = 0; i < 5; i++) t.equal((await ingestOne(pipeline, TRACEPARENT)).status, 200);
    await waitFor(() => warnings().length > 0, { message: "no warning" });
    for (let i = 0; i < 20; i++) t.equal((await ingestOne(pipeline, TRACEPARENT)).status, 200);
    t.equal(await edge.stop(), 0);
    t.equal(warnings().length, 1);
    t.notOk(edge.output().includes("PASSWORD"));
  },
);

t.test("OTEL_TRACES_EXPORTER=console - spans are lines of the log", async (t) => {
  const pipeline = await startPipeline({
    env: { OTEL_TRACES_EXPORTER: "console", OTEL_BSP_SCHEDULE_DELAY: "20" },
  });
  t.teardown(() => pipeline.stop());
  await ingestOne(pipeline, TRACEPARENT);
  const lines = () => pipeline.edge.output().trim().split("\n");
  const isSpan = (line: string) => line.includes('"msg":"span"') && line.includes(TRACE);
  const span = await waitFor(() => lines().find(isSpan), { message: "no span in the log" });
  t.match(JSON.parse(span), { traceId: TRACE, name: /./, ms: Number });
  for (const line of lines()) t.doesNotThrow(() => JSON.parse(line), line);
});

t.test("an impossible setting ends the start with a line that names a possible one", async (t) => {
  const wrong: ReadonlyArray<readonly [NodeJS.ProcessEnv, RegExp]> = [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, /OTEL_TRACES_EXPORTER must be otlp, console or none/],
  ];
  for (const [env, message] of wrong) await t.rejects(startPipeline({ env, begin: ["edge"] }), message);
});
