import t from "tap";
import { CounterSeries } from "./meter.ts";

t.test("counters - their growth between two moments, even between readings", async (t) => {
  const series = new CounterSeries();
  series.add(1000, { cpu: 5 });
  series.add(2000, { cpu: 6, late: 0 });
  series.add(3000, { cpu: 10, late: 4 });
  t.strictSame(series.between(1000, 3000), { cpu: 5, late: 4 });
  t.strictSame(series.between(1500, 2500), { cpu: 2.5, late: 2 });
  t.strictSame(series.between(2000, 9000), { cpu: 4, late: 4 }, "later growth is unknown");
  t.strictSame(series.between(0, 2000), { cpu: 1, late: 0 });
});
