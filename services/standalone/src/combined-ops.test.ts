import t from "tap";
import { type Asked, combineOps } from "./combined-ops.ts";

const answers =
  (readiness: object, metrics: object[] = []): Asked =>
  async (path) => ({
    status: 200,
    contentType: "application/json",
    body: JSON.stringify(path === "/metrics.json" ? metrics : readiness),
  });

const own: Asked = async (path) => ({ status: 200, contentType: "text/plain", body: path });
const counter = (service: string) => ({
  name: "events_total",
  help: "Events.",
  type: "counter",
  aggregator: "sum",
  values: [{ value: 2, labels: { service } }],
});

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
    ["edge", answers({}, [counter("edge")])],
    ["ingest", answers({}, [counter("ingest")])],
    ["gone", () => Promise.reject(new Error("it ended"))],
  ]);
  const { body } = await combineOps(own, parts)("/metrics");
  t.match(body, /^events_total\{service="edge"\} 2$/m);
  t.match(body, /^events_total\{service="ingest"\} 2$/m);
});

t.test("combined operations - anything else is this process's own", async (t) => {
  t.equal((await combineOps(own, new Map())("/livez")).body, "/livez");
});
