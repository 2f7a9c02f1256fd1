import t from "tap";
import { Health, showReadiness } from "./health.ts";
import { createRegistry, MetricFactory } from "./metrics.ts";

t.test("readiness - a scrape shows what /readyz says at that time", async (t) => {
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
  t.equal(await shown(), "1", "what is only shown does not decide");
  health.drain();
  t.equal(await shown(), "0", "it was told to stop");
});
