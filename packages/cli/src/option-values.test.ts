import t from "tap";
import { readDuration, readMoment } from "./option-values.ts";

t.test("moment - durations in every unit, and nothing else", async (t) => {
  for (const [text, ms] of [
    ["0s", 0],
    ["250ms", 250],
    ["1.5s", 1500],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["7d", 604_800_000],
  ] as const) {
    t.equal(readDuration(text), ms, text);
  }
  for (const text of ["", "5", "s", "-1s", "1 h", "1w", "1h30m", "1e3s", "5S", "١s"]) {
    t.throws(() => readDuration(text), { message: /duration such as/ }, text);
  }
});

t.test("moment - a duration before now, or a time with its offset", async (t) => {
  t.equal(readMoment("2026-03-01T10:00:00+01:00").toISOString(), "2026-03-01T09:00:00.000Z");
  const before = Date.now();
  const found = readMoment("1h").getTime() + 3_600_000;
  t.ok(found >= before && found <= Date.now());
  for (const text of ["2026-03-01", "2026-03-01T10:00:00", "2026-13-01T10:00:00Z", "yesterday", ""]) {
    t.throws(() => readMoment(text), { message: /how long ago/ }, text);
  }
});
