import t from "tap";
import { LoadMeter } from "./load-meter.ts";

const event = () => ({ external_id: "x" });

t.test("load meter - percentiles cover the time since they were last taken", async (t) => {
  const meter = new LoadMeter();
  t.equal(meter.takePercentiles(), undefined);
  const events = Array.from({ length: 100 }, event);
  for (const one of events) meter.given(one, 1_000);
  for (const [i, one] of events.entries()) meter.told(one, 1_000 + i);
  t.strictSame(meter.takePercentiles(), { p50Ms: 50, p99Ms: 99 });
  t.equal(meter.takePercentiles(), undefined);
});

t.test("load meter - lag is the age of the oldest event without an answer", async (t) => {
  const meter = new LoadMeter();
  t.equal(meter.lagMs(0), 0);
  const events = Array.from({ length: 250 }, event);
  for (const [i, one] of events.entries()) meter.given(one, i);
  t.equal(meter.lagMs(300), 300);
  for (const one of events.slice(0, 100)) meter.told(one, 300);
  t.equal(meter.lagMs(300), 200);
  for (const one of events.slice(100)) meter.told(one, 310);
  t.equal(meter.lagMs(400), 0);
  const late = event();
  meter.given(late, 500);
  t.equal(meter.lagMs(510), 10);
});

t.test("load meter - the longest pause is the longest time between two answers", async (t) => {
  const meter = new LoadMeter();
  const [first, second, third] = [event(), event(), event()] as const;
  for (const one of [first, second, third]) meter.given(one, 0);
  meter.told(first, 10);
  meter.told(second, 1_510);
  meter.told(third, 1_520);
  t.equal(meter.longestPauseMs, 1_500);
});
