import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import {
  type ExposedFamily,
  hasPromtool,
  makeEvent,
  metricFaults,
  type Pipeline,
  PublisherClient,
  promtoolFindings,
  readExposition,
  type ServiceProcess,
  startPipeline,
} from "#test-support";

/** The header that Prometheus 3 sends if it may keep exemplars. */
const ACCEPT = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";

const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"] as const;

let pipeline: Pipeline;
let client: PublisherClient;
const services = new Map<string, ServiceProcess>();

t.before(async () => {
  pipeline = await startPipeline();
  services.set("edge", pipeline.edge).set("ingest", pipeline.ingest);
  const others = ["platform", "rewards", "webhooks", "console"] as const;
  const started = await Promise.all(others.map((name) => pipeline.start(name)));
  for (const [i, name] of others.entries()) services.set(name, started[i] as ServiceProcess);
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

async function scrape(service: string, format: "text" | "openmetrics" = "text") {
  const { body } = await (services.get(service) as ServiceProcess).ops(
    "/metrics",
    format === "text" ? undefined : ACCEPT,
  );
  return { body, ...readExposition(body, format) };
}

const samplesOf = (families: readonly ExposedFamily[], name: string) =>
  families.flatMap(({ samples }) => samples).filter((sample) => sample.name === name);

/** The value of the one sample with these labels. */
function valueOfSample(
  families: readonly ExposedFamily[],
  name: string,
  labels: Record<string, string> = {},
) {
  const found = samplesOf(families, name).filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels.get(label) === value),
  );
  return found.length === 1 ? found[0]?.value : undefined;
}

t.test("metrics - events, and requests of all kinds, leave their traces on the edge", async (t) => {
  const [member] = (await client.enrol("ada")) as [string];
  const answer = await client.ingest([makeEvent(member), makeEvent(member)]);
  t.equal(answer.status, 200);
  const traceId = String(answer.headers["x-trace-id"]);
  const { families } = await scrape("edge", "openmetrics");
  const labels = { route: "transaction/ingest", code: "ok" };
  t.equal(valueOfSample(families, "stampede_http_requests_total", labels), 1);
  t.equal(valueOfSample(families, "stampede_http_request_duration_seconds_count", labels), 1);
  t.equal(valueOfSample(families, "stampede_edge_message_events_sum"), 2);
  const buckets = samplesOf(families, "stampede_http_request_duration_seconds_bucket");
  const traces = buckets.map(({ exemplar }) => exemplar?.labels.get("trace_id"));
  t.ok(traces.includes(traceId), "its duration tells the trace of the request");
});

t.test("metrics - every service counts statements by operation and table", async (t) => {
  const word = "[a-z][a-z_]*";
  const closed = new RegExp(
    `^(?:(?:select|lock|insert|update|delete) ${word}(?:\\.${word})?|select|begin|commit|rollback|savepoint|release|set|create|copy)$`,
  );
  for (const service of SERVICES) {
    const { families } = await scrape(service);
    const counts = samplesOf(families, "stampede_database_statement_duration_seconds_count");
    t.ok(counts.length > 0, service);
    for (const { labels } of counts) t.match(labels.get("operation"), closed, service);
    // The tests' servers do not wait for the disk.
    t.equal(valueOfSample(families, "stampede_database_durable"), 0);
  }
  const { families } = await scrape("ingest");
  t.ok(
    valueOfSample(families, "stampede_database_statement_duration_seconds_count", {
      operation: "insert transactions",
    }),
  );
  const { body } = await (services.get("edge") as ServiceProcess).ops("/readyz?verbose");
  t.match(JSON.parse(body).checks.database, { ok: true, detail: /weaker than promised: fsync is off/ });
});

for (const [name, type, help, fault] of [
  ["http_requests_total", "counter", "H.", /prefix/],
  ["stampede_Requests_total", "counter", "H.", /snake case/],
  ["stampede_requests", "counter", "H.", /_total/],
  ["stampede_depth_total", "gauge", "H.", /_total/],
  ["stampede_waiting_count", "gauge", "H.", /suffix/],
  ["stampede_lag_ms", "gauge", "H.", /base unit/],
  ["stampede_db_up", "gauge", "H.", /cut short/],
  ["stampede_depth_gauge", "gauge", "H.", /its type/],
  ["stampede_seconds_waiting", "gauge", "H.", /last word/],
  ["stampede_step_duration", "histogram", "H.", /in seconds/],
  ["stampede_depth", "gauge", "No stop", /full stop/],
] as const) {
  t.test(`metric rules - ${name}, a ${type}, breaks one`, async (t) => {
    t.match(metricFaults([{ name, type, help, samples: [] }]).join(), fault);
  });
}

for (const service of SERVICES) {
  for (const format of ["text", "openmetrics"] as const) {
    t.test(`metrics - the ${format} of ${service} obeys the rules of the format`, async (t) => {
      const { families, faults } = await scrape(service, format);
      t.strictSame(faults, []);
      t.ok(families.length > 40, `${families.length} metrics`);
    });
  }

  t.test(`metrics - the names of ${service} follow Prometheus' rules`, async (t) => {
    const { families } = await scrape(service);
    t.strictSame(metricFaults(families), []);
  });

  const skip = !hasPromtool() && "no promtool here (Debian's package prometheus)";
  t.test(`metrics - promtool finds nothing wrong with ${service}`, { skip }, async (t) => {
    const { body } = await scrape(service);
    t.strictSame(promtoolFindings(body), []);
  });
}

t.test("metrics - every counter is there before its first event", async (t) => {
  const started = await pipeline.start("edge");
  const { body } = await started.ops("/metrics");
  const { families } = readExposition(body, "text");
  const counters = families.filter(({ name, type }) => type === "counter" && name.startsWith("stampede_"));
  t.ok(counters.length >= 8);
  for (const { name, samples } of counters) t.ok(samples.length > 0, name);
  await started.stop();
});

for (const service of SERVICES) {
  t.test(`metrics - a scrape of ${service} asks the database nothing`, async (t) => {
    const statements = async () => {
      const { families } = await scrape(service);
      const counts = samplesOf(families, "stampede_database_statement_duration_seconds_count");
      return counts.reduce((sum, { value }) => sum + value, 0);
    };
    const during = async (work: () => Promise<unknown>) => {
      const before = await statements();
      await work();
      return (await statements()) - before;
    };
    const scrapes = 30;
    const scrapeOnly = () => (services.get(service) as ServiceProcess).ops("/metrics");
    const startedAt = performance.now();
    const asked = await during(() => Promise.all(Array.from({ length: scrapes }, scrapeOnly)));
    const tookMs = performance.now() - startedAt;
    // Background work goes on meanwhile: some statements a second, and on a busy machine the scrapes may take
    // many seconds.
    const background = asked < scrapes ? 0 : await during(() => delay(tookMs));
    t.ok(asked < scrapes || asked - background < scrapes / 2, `${asked} statements, ${background} without`);
  });
}
