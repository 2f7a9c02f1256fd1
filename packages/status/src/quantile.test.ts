import t from "tap";
import { quantileOf } from "./quantile.ts";

const INFINITE = Number.POSITIVE_INFINITY;

t.test("quantile - lies in its bucket as far as its rank does", async (t) => {
  const buckets = new Map([
    [0.1, 50],
    [0.2, 90],
    [0.4, 100],
    [INFINITE, 100],
  ]);
  t.equal(quantileOf(0.25, buckets), 0.05);
  t.equal(quantileOf(0.5, buckets), 0.1);
  t.ok(Math.abs((quantileOf(0.99, buckets) ?? 0) - 0.38) < 1e-12);
  t.equal(quantileOf(1, buckets), 0.4);
});

t.test("quantile - buckets may come in any order, and empty ones are passed over", async (t) => {
  const buckets = new Map([
    [INFINITE, 4],
    [1, 0],
    [0.5, 0],
    [2, 4],
  ]);
  t.equal(quantileOf(0.5, buckets), 1.5);
});

t.test("quantile - above the highest finite bound it is that bound", async (t) => {
  const buckets = new Map([
    [10, 1],
    [INFINITE, 100],
  ]);
  t.equal(quantileOf(0.99, buckets), 10);
});

t.test("quantile - without values, or without the bucket of all values, there is none", async (t) => {
  t.equal(quantileOf(0.99, new Map([[INFINITE, 0]])), undefined);
  t.equal(quantileOf(0.99, new Map([[1, 5]])), undefined);
  t.equal(quantileOf(0.99, new Map()), undefined);
});
