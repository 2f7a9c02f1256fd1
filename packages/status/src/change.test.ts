import t from "tap";
import { Change, type Observation, quantileOf } from "./change.ts";
import { Scrape } from "./scrape.ts";

const URL_OF_ALL = "http://10.0.0.1:9464";

/** One address that speaks for the named services, at a second of this test. */
function at(second: number, ...metrics: string[]): Observation {
  return {
    sources: [{ url: URL_OF_ALL, at: second * 1000, scrape: new Scrape(metrics.join("\n")) }],
    silent: [],
  };
}

const edge = (requests: number, startedAt = 100) =>
  [
    'stampede_ready{service="edge"} 1',
    `process_start_time_seconds{service="edge"} ${startedAt}`,
    `requests_total{service="edge",code="ok"} ${requests}`,
    `wait_bucket{service="edge",le="0.1"} ${requests / 2}`,
    `wait_bucket{service="edge",le="+Inf"} ${requests}`,
  ].join("\n");
const ingest = (requests: number) =>
  `stampede_ready{service="ingest"} 1\nrequests_total{service="ingest",code="ok"} ${requests}`;

t.test("change - a rate is the count of all processes in a second", async (t) => {
  const change = new Change(at(1, edge(10), ingest(100)), at(3, edge(30), ingest(104)));
  t.equal(change.rate("requests_total"), 12);
  t.equal(change.rate("requests_total", { service: "edge" }), 10);
  t.equal(change.rate("requests_total", { code: "error" }), 0);
});

t.test(
  "change - of a process that was restarted all that it counted is new, even if that is more than before",
  async (t) => {
    t.equal(
      new Change(at(1, edge(10)), at(2, edge(4))).rate("requests_total"),
      4,
      "it counts less than before",
    );
    t.equal(new Change(at(1, edge(10)), at(2, edge(15, 101))).rate("requests_total"), 15, "it began later");
    const histogram = new Change(at(1, edge(10)), at(2, edge(16, 101))).buckets("wait");
    t.strictSame([...histogram.values()], [8, 16]);
  },
);

t.test(
  "change - a process that did not answer before has no rate: its counters are as old as itself",
  async (t) => {
    const change = new Change(at(1, edge(10)), at(2, edge(11), ingest(1_000_000)));
    t.equal(change.rate("requests_total"), 1);
    t.equal(change.isMeasured("edge"), true);
    t.equal(change.isMeasured("ingest"), false);
    t.equal(change.isMeasured("webhooks"), false);
    t.equal(new Change({ sources: [], silent: [] }, at(2, edge(11))).isMeasured("edge"), false);
  },
);

t.test("change - one that stopped answering takes nothing from the others", async (t) => {
  const change = new Change(at(1, edge(10), ingest(50)), at(2, edge(13)));
  t.equal(change.rate("requests_total"), 3);
  t.equal(change.isMeasured("ingest"), false);
});

t.test("change - a counter that appeared since then began at 0", async (t) => {
  const later = `${edge(10)}\nrequests_total{service="edge",code="unavailable"} 7`;
  t.equal(new Change(at(1, edge(10)), at(2, later)).rate("requests_total", { code: "unavailable" }), 7);
});

t.test("change - a quantile covers the values counted between the two, over all processes", async (t) => {
  const slow = (count: number) =>
    `stampede_ready{service="ingest"} 1\nwait_bucket{service="ingest",le="0.1"} 0\nwait_bucket{service="ingest",le="1.0"} ${count}\nwait_bucket{service="ingest",le="+Inf"} ${count}`;
  const buckets = new Change(at(1, slow(1000)), at(2, slow(1010))).buckets("wait");
  t.strictSame(
    [...buckets],
    [
      [0.1, 0],
      [1, 10],
      [Number.POSITIVE_INFINITY, 10],
    ],
  );
  t.equal(quantileOf(0.5, buckets), 0.55);
  t.strictSame([...new Change(at(1, slow(5)), at(2, slow(5))).buckets("wait").values()], [0, 0, 0]);
});

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
