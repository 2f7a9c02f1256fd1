import t from "tap";
import { daySpan } from "./day-span.ts";

const before = process.env.TZ;
t.before(() => {
  process.env.TZ = "Europe/London";
});
t.teardown(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

t.test("days - both days count, from midnight to midnight in the reader's zone", async (t) => {
  t.strictSame(daySpan("2026-07-01", "2026-07-02"), {
    since: "2026-06-30T23:00:00.000Z",
    until: "2026-07-02T23:00:00.000Z",
  });
});

t.test("days - a day on which the clocks change has another length", async (t) => {
  t.strictSame(daySpan("2026-10-25", "2026-10-25"), {
    since: "2026-10-24T23:00:00.000Z",
    until: "2026-10-26T00:00:00.000Z",
  });
});

t.test("days - a missing or half-typed day leaves that end open", async (t) => {
  t.strictSame(daySpan("", ""), {});
  t.strictSame(daySpan("2026-02-28", ""), { since: "2026-02-28T00:00:00.000Z" });
  t.strictSame(daySpan("0002-01-01", "2026-02-28"), { until: "2026-03-01T00:00:00.000Z" });
});
