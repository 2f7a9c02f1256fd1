import t from "tap";
import { readExposition } from "#test-support";
import { type Asked, combineOps, ownOperations } from "./ops.ts";

const answers =
  (readiness: object, metrics: object[] = []): Asked =>
  async (path) => ({
    status: 200,
    contentType: "application/json",
    body: JSON.stringify(path === "/metrics.json" ? metrics : readiness),
  });

const own: Asked = async (path) => ({ status: 200, contentType: "text/plain", body: path });
const exemplar = { labels: { trace_id: "a".repeat(32) }, value: 0.5, timestamp: 1 };
const families = (service: string) => [
  { name: "events_total", help: "Events.", type: "counter", samples: [{ value: 2, labels: { service } }] },
  {
    name: "work_seconds",
    help: "Work.",
    type: "histogram",
    samples: [
      { name: "work_seconds_bucket", value: 1, labels: { le: 1, service }, exemplar },
      { name: "work_seconds_bucket", value: 1, labels: { le: "+Inf", service } },
      { name: "work_seconds_sum", value: 0.5, labels: { service } },
      { name: "work_seconds_count", value: 1, labels: { service } },
    ],
  },
];

t.test("combined operations - ready when every part is, each check under its part's name", async (t) => {
  const ok = { ready: true, checks: { nats: { ok: true, detail: "connected" } } };
  const ask = combineOps(own, new Map([["edge", answers(ok)]]));
  t.match(await ask("/readyz"), { status: 200, body: "ready\n" });
  t.match(JSON.parse((await ask("/readyz?verbose")).body), {
    checks: { "edge.nats": { detail: "connected" } },
  });
});

t.test("combined operations - a part that cannot answer is not ready, and says why", async (t) => {
  const gone: Asked = () => Promise.reject(new Error("it ended"));
  const ask = combineOps(own, new Map([["edge", gone]]));
  const { status, body } = await ask("/readyz?verbose=1");
  t.equal(status, 503);
  t.match(JSON.parse(body), { ready: false, checks: { "edge.running": { ok: false, detail: "it ended" } } });
});

t.test("combined operations - metrics of the parts that answer, told apart by service", async (t) => {
  const parts = new Map([
    ["edge", answers({}, families("edge"))],
    ["ingest", answers({}, families("ingest"))],
    ["gone", () => Promise.reject(new Error("it ended"))],
  ]);
  const { body, contentType } = await combineOps(own, parts)("/metrics");
  t.match(contentType, /^text\/plain; version=0.0.4/);
  t.strictSame(readExposition(body, "text").faults, []);
  t.match(body, /^events_total\{service="edge"\} 2$/m);
  t.match(body, /^events_total\{service="ingest"\} 2$/m);
});

t.test("combined operations - trace ids of the parts arrive where OpenMetrics is accepted", async (t) => {
  const parts = new Map([
    ["edge", answers({}, families("edge"))],
    ["ingest", answers({}, families("ingest"))],
  ]);
  const ask = combineOps(own, parts);
  const { body, contentType } = await ask("/metrics", "application/openmetrics-text;version=1.0.0");
  t.match(contentType, /^application\/openmetrics-text/);
  t.strictSame(readExposition(body, "openmetrics").faults, []);
  for (const service of ["edge", "ingest"]) {
    t.match(body, `{le="1.0",service="${service}"} 1 # {trace_id="${"a".repeat(32)}"} 0.5 1\n`);
  }
});

t.test("combined operations - a request for some of the metrics gets those of each part", async (t) => {
  const asked: string[] = [];
  const part: Asked = (path) => {
    asked.push(path);
    return answers({}, families("edge"))("/metrics.json");
  };
  await combineOps(own, new Map([["edge", part]]))("/metrics?name[]=events_total");
  t.strictSame(asked, ["/metrics.json?name[]=events_total"]);
});

t.test("combined operations - anything else is this process's own", async (t) => {
  t.equal((await combineOps(own, new Map())("/livez")).body, "/livez");
});

t.test("combined operations - not ready before the services are there", async (t) => {
  const { answer, include } = ownOperations(() => {});
  t.match(await answer("/readyz?verbose"), { status: 503, body: /"standalone.start": \{\s+"ok": false/ });
  include(new Map());
  t.match(await answer("/readyz"), { status: 200 });
});
