import t, { type Test } from "tap";
import { readExposition } from "#test-support";
import { Health } from "./health.ts";
import { createRegistry, MetricFactory } from "./metrics/metrics.ts";
import { OpsEndpoints, preferredFormat, serveOps } from "./ops.ts";

async function start(t: Test) {
  const health = new Health();
  const registry = createRegistry("edge", "1.2.3");
  const endpoints = new OpsEndpoints(health, registry);
  const server = await serveOps((path, accept) => endpoints.answer(path, accept), {
    host: "127.0.0.1",
    port: 0,
  });
  t.teardown(() => server.close());
  const request = (path: string, method = "GET", headers = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers });
  return { health, metrics: new MetricFactory(registry), request, server };
}

t.test("ops - /livez answers as long as the process runs, even while it is not ready", async (t) => {
  const { health, request } = await start(t);
  health.drain();
  const response = await request("/livez");
  t.equal(response.status, 200);
  t.equal(await response.text(), "ok\n");
  t.match(response.headers.get("content-type"), "text/plain");
  t.equal(response.headers.get("cache-control"), "no-store");
});

t.test("ops - /readyz is 200 when all checks hold and 503 when one does not", async (t) => {
  const { health, request } = await start(t);
  let ok = true;
  health.addCheck("database", () => ({ ok, detail: "sampled" }));
  const ready = await request("/readyz");
  t.equal(ready.status, 200);
  t.equal(await ready.text(), "ready\n");
  ok = false;
  const unready = await request("/readyz");
  t.equal(unready.status, 503);
  t.equal(await unready.text(), "not ready\n", "the reason is only for those who ask");
});

t.test("ops - /readyz?verbose says which check fails and why", async (t) => {
  const { health, request } = await start(t);
  health.addCheck("stream", () => ({ ok: false, detail: "no answer" }));
  for (const query of ["?verbose", "?verbose=1", "?a=b&verbose"]) {
    const response = await request(`/readyz${query}`);
    t.equal(response.status, 503, query);
    t.equal(response.headers.get("content-type"), "application/json");
    t.strictSame(await response.json(), {
      ready: false,
      checks: { stream: { ok: false, detail: "no answer" } },
    });
  }
  t.equal(await (await request("/readyz?verbosely")).text(), "not ready\n");
});

t.test("ops - /metrics has the process's own metrics and ours, labelled with the service", async (t) => {
  const { metrics, request } = await start(t);
  metrics.counter("stampede_test_total", "A test.", ["outcome"]).inc({ outcome: "done" }, 2);
  metrics.gaugeOf("stampede_test_depth", "Read when scraped.", () => 7);
  metrics.histogram("stampede_test_seconds", "A duration.", [0.1, 1]).observe(0.5);
  const response = await request("/metrics");
  t.equal(response.status, 200);
  t.match(response.headers.get("content-type"), /^text\/plain; version=/);
  const text = await response.text();
  t.match(text, 'stampede_test_total{outcome="done",service="edge"} 2');
  t.match(text, 'stampede_test_depth{service="edge"} 7');
  t.match(text, 'stampede_test_seconds_bucket{le="1.0",service="edge"} 1');
  t.match(text, `stampede_build_info{version="1.2.3",node="${process.version}",service="edge"} 1`);
  t.match(text, "process_cpu_seconds_total");
});

t.test(
  "ops - /metrics is OpenMetrics with trace ids if the scrape accepts that, and plain text again after",
  async (t) => {
    const { metrics, request } = await start(t);
    metrics.counter("stampede_test_total", "A test.").inc(2);
    metrics.tracedHistogram("stampede_test_seconds", "A test.", [1]).observe({}, 0.5, "a".repeat(32));
    const accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3";
    const response = await request("/metrics", "GET", { accept });
    t.equal(
      response.headers.get("content-type"),
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    const text = await response.text();
    t.strictSame(readExposition(text, "openmetrics").faults, []);
    t.match(text, '# TYPE stampede_test counter\nstampede_test_total{service="edge"} 2\n');
    t.match(text, `} 1 # {trace_id="${"a".repeat(32)}"} 0.5 `);
    const plain = await request("/metrics");
    t.equal(plain.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    const plainText = await plain.text();
    t.strictSame(readExposition(plainText, "text").faults, []);
    t.match(plainText, '# TYPE stampede_test_total counter\nstampede_test_total{service="edge"} 2\n');
  },
);

t.test("ops - /metrics.json has the same, for the process that gathers them", async (t) => {
  const { request } = await start(t);
  const response = await request("/metrics.json");
  t.equal(response.headers.get("content-type"), "application/json");
  const metrics = (await response.json()) as { name: string }[];
  t.ok(metrics.some(({ name }) => name === "stampede_build_info"));
});

t.test(
  "ops - a part of the metrics is served by their names, and the others are not looked at",
  async (t) => {
    const { metrics, request } = await start(t);
    metrics.counter("stampede_test_total", "A test.").inc(2);
    let looks = 0;
    metrics.gaugeOf("stampede_test_since_last_look", "Starts over at each look.", () => ++looks);
    for (const path of ["/metrics", "/metrics.json"]) {
      const part = await (await request(`${path}?name[]=stampede_test_total&name%5B%5D=nothing`)).text();
      t.match(part, "stampede_test_total");
      t.match(part, /service"?[=:]"edge"/);
      t.notMatch(part, /since_last_look|nodejs_|nothing/);
    }
    t.equal(looks, 0);
    t.match(await (await request("/metrics")).text(), "nodejs_", "the next one asks for all");
    t.equal(looks, 1);
  },
);

t.test("ops - another path is 404 and names those that there are", async (t) => {
  const { request } = await start(t);
  for (const path of ["/", "/metrics/", "/livez/x", "/%2e%2e/etc/passwd", "//livez"]) {
    const response = await request(path);
    t.equal(response.status, 404, path);
    t.match(await response.text(), "/livez");
  }
});

t.test("ops - only GET and HEAD are taken", async (t) => {
  const { request } = await start(t);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const response = await request("/livez", method);
    t.equal(response.status, 405, method);
    t.equal(response.headers.get("allow"), "GET, HEAD");
  }
  const head = await request("/livez", "HEAD");
  t.equal(head.status, 200);
  t.equal(await head.text(), "");
});

t.test("ops - an answer that fails is 500 without its reason, and the next is served", async (t) => {
  let fail = true;
  const answer = async () => {
    if (fail) throw new Error("secret detail");
    return { status: 200, contentType: "text/plain", body: "ok" };
  };
  const server = await serveOps(answer, { host: "127.0.0.1", port: 0 });
  t.teardown(() => server.close());
  const broken = await fetch(`http://127.0.0.1:${server.port}/livez`);
  t.equal(broken.status, 500);
  t.notMatch(await broken.text(), "secret");
  fail = false;
  t.equal((await fetch(`http://127.0.0.1:${server.port}/livez`)).status, 200);
});

t.test("ops - a port that is taken is refused with its code", async (t) => {
  const { server } = await start(t);
  await t.rejects(
    serveOps(async () => ({ status: 200, contentType: "", body: "" }), {
      host: "127.0.0.1",
      port: server.port,
    }),
    { code: "EADDRINUSE" },
  );
});

const OPENMETRICS = "application/openmetrics-text";

for (const [accept, format] of [
  [undefined, "text"],
  ["", "text"],
  ["*/*", "text"],
  ["text/html,application/xhtml+xml,*/*;q=0.8", "text"],
  ["text/plain;version=0.0.4;q=1,*/*;q=0.1", "text"],
  [OPENMETRICS, "openmetrics"],
  [`${OPENMETRICS}; version=1.0.0; charset=utf-8`, "openmetrics"],
  [`${OPENMETRICS};q=0`, "text"],
  [`${OPENMETRICS};version=2.0.0`, "text"],
  [`${OPENMETRICS};q=0.2,text/plain;q=0.3`, "text"],
  [`${OPENMETRICS.toUpperCase()};Q=1`, "openmetrics"],
  // Prometheus 2 with exemplar storage, and Prometheus 3.
  [
    `${OPENMETRICS};version=1.0.0;q=0.5,${OPENMETRICS};version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
    "openmetrics",
  ],
  [
    `${OPENMETRICS};version=1.0.0;escaping=allow-utf-8;q=0.6,${OPENMETRICS};version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
    "openmetrics",
  ],
  // Prometheus 3 that was told to prefer its own text.
  [`text/plain;version=0.0.4;q=0.6,${OPENMETRICS};version=1.0.0;q=0.5,*/*;q=0.2`, "text"],
] as const) {
  t.test(`metrics format - ${format} for ${accept ?? "no Accept"}`, async (t) => {
    t.equal(preferredFormat(accept), format);
  });
}
