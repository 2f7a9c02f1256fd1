import t from "tap";
import { Health, showReadiness } from "./health.ts";
import { createRegistry, MetricFactory } from "./metrics/metrics.ts";

const holds = () => ({ ok: true, detail: "connected" });
const fails = () => ({ ok: false, detail: "no connection" });

t.test("health - without checks a process is ready", async (t) => {
  t.strictSame(new Health().readiness(), { ready: true, checks: {} });
});

t.test("health - one check that fails is enough, and all are shown", async (t) => {
  const health = new Health();
  health.addCheck("database", holds);
  t.ok(health.readiness().ready);
  health.addCheck("stream", fails);
  t.strictSame(health.readiness(), { ready: false, checks: { database: holds(), stream: fails() } });
});

t.test("health - a check that is only shown does not decide", async (t) => {
  const health = new Health();
  health.addShown("database", fails);
  health.addCheck("stream", holds);
  t.strictSame(health.readiness(), { ready: true, checks: { database: fails(), stream: holds() } });
  health.addCheck("http", fails);
  t.notOk(health.readiness().ready);
});

t.test("health - a check is asked each time", async (t) => {
  let ok = false;
  const health = new Health();
  health.addCheck("stream", () => ({ ok, detail: "" }));
  t.notOk(health.readiness().ready);
  ok = true;
  t.ok(health.readiness().ready);
});

t.test("health - a draining process is not ready, even if all checks hold", async (t) => {
  const health = new Health();
  health.addCheck("database", holds);
  health.drain();
  const { ready, checks } = health.readiness();
  t.notOk(ready);
  t.strictSame(checks.draining, { ok: false, detail: "the process was told to stop" });
  t.strictSame(checks.database, holds());
});

t.test("readiness - a scrape shows the result of /readyz at that time", async (t) => {
  const registry = createRegistry("edge", "1");
  const health = new Health();
  showReadiness(new MetricFactory(registry), health);
  const shown = async () => /^stampede_ready\{service="edge"\} (\d)$/m.exec(await registry.metrics())?.[1];

  let connected = false;
  health.addCheck("nats", () => ({ ok: connected, detail: "" }));
  t.equal(await shown(), "0", "a check fails");
  connected = true;
  t.equal(await shown(), "1", "it holds again");
  health.addShown("database", () => ({ ok: false, detail: "" }));
  t.equal(await shown(), "1", "a shown check does not decide");
  health.drain();
  t.equal(await shown(), "0", "it is stopping");
});
