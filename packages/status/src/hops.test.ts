import t from "tap";
import { Change, type Source } from "./change.ts";
import { HOP_SERVICES } from "./hop-services.ts";
import { type HopStatus, readHops, readServiceHops } from "./hops.ts";
import { Scrape } from "./scrape.ts";
import { HOP_METRICS } from "./service-numbers.ts";
import { NotedScrape } from "./test-scrape.ts";

/** The answer of an address at a second of this test. */
function source(url: string, second: number, metrics: string): Source {
  return { url, at: second * 1000, scrape: new Scrape(metrics) };
}

const A = "http://10.0.0.1:9464";
const B = "http://10.0.0.2:9464";

const ingest = (events: number, partitions: readonly number[], ready = 1) =>
  [
    'stampede_partitions{service="ingest"} 3',
    `stampede_partitions_owned{service="ingest"} ${partitions.length}`,
    `stampede_ready{service="ingest"} ${ready}`,
    `stampede_ingest_events_total{service="ingest",result="created"} ${events}`,
    'stampede_ingest_events_total{service="ingest",result="dead"} 0',
    'stampede_nats_connected{service="ingest"} 1',
    'stampede_database_up{service="ingest"} 1',
    'stampede_stream_messages{service="ingest",stream="DEAD"} 4',
    ...partitions.flatMap((n) => [
      `stampede_stream_messages{service="ingest",stream="INGEST_${n}"} 10`,
      `stampede_consumer_pending_messages{service="ingest",stream="INGEST_${n}"} 7`,
      `stampede_consumer_ack_pending_messages{service="ingest",stream="INGEST_${n}"} 2`,
      `stampede_stream_oldest_message_age_seconds{service="ingest",stream="INGEST_${n}"} ${n + 0.5}`,
      `stampede_stream_bytes{service="ingest",stream="INGEST_${n}"} ${n === 2 ? 90 : 10}`,
      `stampede_stream_limit_bytes{service="ingest",stream="INGEST_${n}"} 100`,
    ]),
  ].join("\n");

function hopOf(hops: readonly HopStatus[], name: string): HopStatus {
  return hops.find(({ hop }) => hop === name) as HopStatus;
}

t.test("status - processes of a service are added up, and each shows its partitions", async (t) => {
  const before = { sources: [source(A, 0, ingest(100, [0, 2])), source(B, 0, ingest(50, [1]))], silent: [] };
  const now = { sources: [source(A, 2, ingest(300, [0, 2])), source(B, 2, ingest(60, [1]))], silent: [] };
  const hops = readHops(new Change(before, now));
  t.match(hopOf(hops, "ingest"), {
    state: "ready",
    rate: 105,
    lag: 27,
    oldestSeconds: 2.5,
    errors: 0,
    owners: ["0,2 at 10.0.0.1:9464", "1 at 10.0.0.2:9464"],
  });
  t.match(hopOf(hops, "stream"), {
    state: "ready",
    lag: 30,
    notes: ["INGEST_2 is 90 % full", "4 dead letters"],
  });
  t.match(hopOf(hops, "database"), { state: "ready" });
  t.match(hopOf(hops, "webhooks"), { state: "not asked" });
});

t.test("status - a process that has just taken partitions over is shown with their number", async (t) => {
  const fresh = ingest(0, []).replace(/(partitions_owned.*) 0/, "$1 1");
  const now = { sources: [source(A, 2, ingest(0, [0, 2])), source(B, 2, fresh)], silent: [] };
  t.match(hopOf(readHops(new Change(now, now)), "ingest"), {
    state: "ready",
    owners: ["0,2 at 10.0.0.1:9464", "1 partition at 10.0.0.2:9464"],
  });
});

t.test("status - a process that was restarted in between counts from 0", async (t) => {
  const before = { sources: [source(A, 0, ingest(1000, [0, 1, 2]))], silent: [] };
  const now = { sources: [source(A, 1, ingest(30, [0, 1, 2]))], silent: [] };
  t.equal(hopOf(readHops(new Change(before, now)), "ingest").rate, 30);
  t.equal(hopOf(readHops(new Change({ sources: [], silent: [] }, now)), "ingest").rate, 0, "one that is new");
});

t.test("status - a partition without an owner, and a process that is not ready", async (t) => {
  const now = { sources: [source(A, 1, ingest(1, [0], 0))], silent: [] };
  t.match(hopOf(readHops(new Change(now, now)), "ingest"), {
    state: "not ready",
    notes: ["1 of 1 processes not ready", "2 partitions without an owner among those asked"],
  });
});

t.test("status - where the whole all-in-one was asked, a service that says nothing is down", async (t) => {
  const whole = `${ingest(1, [0, 1, 2])}\nstampede_child_up{service="standalone",child="edge"} 0`;
  const now = { sources: [source(A, 1, whole)], silent: [] };
  t.match(hopOf(readHops(new Change(now, now)), "edge"), { state: "down" });
});

t.test("status - the list of metrics of the services' hops is complete and minimal", async (t) => {
  const ready = HOP_SERVICES.map((service) => `stampede_ready{service="${service}"} 1`);
  const scrape = new NotedScrape([...ready, 'stampede_http_requests_total{service="edge"} 1'].join("\n"));
  const at = (second: number) => ({ sources: [{ url: A, at: second * 1000, scrape }], silent: [] });
  readServiceHops(new Change(at(1), at(2)));
  // Read only if the others are there.
  scrape.asked.add("stampede_stream_messages");
  t.strictSame([...scrape.asked].sort(), [...HOP_METRICS].sort());
});

t.test("status - a hop that is ready and does not move is not ready, with the cause in words", async (t) => {
  const standing = (seconds: number) =>
    `${ingest(1, [0, 1, 2])}\nstampede_hop_standing_seconds{service="ingest",where="INGEST",cause="disk",said="no space: free some"} ${seconds}`;
  const now = { sources: [source(A, 1, ingest(1, [])), source(B, 1, standing(12.4))], silent: [] };
  t.match(hopOf(readHops(new Change(now, now)), "ingest"), {
    state: "not ready",
    notes: ["INGEST has not moved for 12 s (disk): no space: free some"],
  });
  const moving = { sources: [source(A, 1, standing(0))], silent: [] };
  t.match(hopOf(readHops(new Change(moving, moving)), "ingest"), { state: "ready", notes: [] });
});

t.test("status - an edge that fails more than a twentieth of its requests is not ready", async (t) => {
  const edge = (good: number, bad: number) =>
    [
      'stampede_ready{service="edge"} 1',
      `stampede_http_requests_total{service="edge",code="ok"} ${good}`,
      `stampede_http_requests_total{service="edge",code="unavailable"} ${bad}`,
    ].join("\n");
  const change = (good: number, bad: number) => {
    const before = { sources: [source(A, 0, edge(0, 0))], silent: [] };
    return new Change(before, { sources: [source(A, 10, edge(good, bad))], silent: [] });
  };
  t.match(hopOf(readHops(change(940, 60)), "edge"), {
    state: "not ready",
    notes: ["6 % of requests are answered 500 or 503"],
  });
  t.match(hopOf(readHops(change(970, 30)), "edge"), { state: "ready", notes: [] });
  t.match(hopOf(readHops(change(1, 1)), "edge"), { state: "ready", notes: [] }, "too few to say");
});
