import t from "tap";
import { Scrape } from "./scrape.ts";

t.test("metrics text - labels with anything in them, and numbers that are none", async (t) => {
  const scrape = new Scrape(
    '# HELP a_total text\n# TYPE a_total counter\na_total{x="1,y=\\"}",z="a\\\\b\\nc"} 3 1700000000\na_total 2\nb +Inf\nb{} NaN\nnonsense',
  );
  t.strictSame(
    scrape.samples("a_total").map(({ labels }) => labels),
    [{ x: '1,y="}', z: "a\\b\nc" }, {}],
  );
  t.equal(scrape.sum("a_total"), 5);
  t.equal(scrape.sum("a_total", { z: ["a\\b\nc", "other"] }), 3);
  t.strictSame(
    [...scrape.totals("a_total", undefined, ["z", "x"])],
    [
      ['a\\b\nc\n1,y="}', 3],
      ["\n", 2],
    ],
  );
  t.equal(scrape.sum("c"), undefined);
  t.equal(scrape.samples("b")[0]?.value, Number.POSITIVE_INFINITY);
});
