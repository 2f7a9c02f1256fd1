import t from "tap";
import { differenceOf } from "./near-miss.ts";
import { type Half, PAIRING_WINDOW_MICROSECONDS as WINDOW } from "./pair-by-nearest-time.ts";

const half = (identifiers: string[], at = 0, binDigits: string | null = null): Half => ({
  id: "h",
  retailerId: "shop",
  identifiers,
  binDigits,
  at,
});

t.test("near miss - in what alone a payment differs", async (t) => {
  const record = half(["six", "eight"]);
  t.equal(differenceOf(record, half(["x"])), "identifiers");
  t.equal(differenceOf(record, half(["six", "other"])), "card");
  t.equal(differenceOf(record, half(["six", "other"], 0, "68")), "card");
  t.equal(differenceOf(record, half(["six"], WINDOW + 1)), "paid_at");
  t.equal(differenceOf(record, half(["six", "eight"], -WINDOW - 1)), "paid_at");
  t.equal(differenceOf(half([]), half(["x"])), "identifiers", "a purchase of which no identifiers are known");
});

t.test("near miss - not one that fits, nor one that differs in two things", async (t) => {
  const record = half(["six", "eight"]);
  t.equal(differenceOf(record, half(["six"])), undefined);
  t.equal(differenceOf(record, half(["six", "other"], 0, "66")), undefined);
  t.equal(differenceOf(record, half(["x"], WINDOW + 1)), undefined);
  t.equal(differenceOf(record, half(["six", "other"], WINDOW + 1)), undefined);
});
