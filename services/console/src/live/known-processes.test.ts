import t from "tap";
import { Scrape } from "#status";
import { KnownProcesses } from "./known-processes.ts";
import type { Observed } from "./observe-processes.ts";

const A = "http://10.0.0.1:9464";
const B = "http://10.0.0.2:9464";

/** The answers of addresses; an address without metrics was asked and is silent. */
function observed(said: Readonly<Record<string, string | undefined>>): Observed {
  const sources = Object.entries(said).flatMap(([url, metrics]) =>
    metrics === undefined ? [] : [{ url, at: 0, scrape: new Scrape(metrics) }],
  );
  return { sources, silent: [], asked: Object.keys(said) };
}

const ready = (service: string, value = 1) => `stampede_ready{service="${service}"} ${value}`;
const reads = (service: string, ...streams: string[]) =>
  streams
    .map((stream) => `stampede_consumer_done_sequence{service="${service}",stream="${stream}"} 5`)
    .join("\n");

t.test("processes - each shows the partitions that it reads, once", async (t) => {
  const known = new KnownProcesses();
  const rewards = [
    ready("rewards"),
    reads("rewards", "OUTCOMES_10", "SETTLEMENT_10", "OUTCOMES_2", "CONFIG"),
  ];
  known.update(observed({ [A]: rewards.join("\n"), [B]: ready("rewards", 0) }));
  t.strictSame(known.of("rewards"), [
    { id: "10.0.0.1:9464", state: "ready", partitions: [2, 10] },
    { id: "10.0.0.2:9464", state: "not ready", partitions: [] },
  ]);
  t.strictSame(known.of("edge"), []);
});

t.test("processes - a process that does not answer is down as long as its address is asked", async (t) => {
  const known = new KnownProcesses();
  known.update(observed({ [A]: `${ready("ingest")}\n${reads("ingest", "INGEST_0")}`, [B]: ready("ingest") }));
  for (const _ of [1, 2]) {
    known.update(observed({ [A]: undefined, [B]: ready("ingest") }));
    t.match(known.of("ingest"), [
      { id: "10.0.0.1:9464", state: "down", partitions: [] },
      { id: "10.0.0.2:9464", state: "ready" },
    ]);
  }
  known.update(observed({ [A]: ready("ingest"), [B]: ready("ingest") }));
  t.equal(known.of("ingest")[0]?.state, "ready", "it is back");
  known.update(observed({ [B]: ready("ingest") }));
  t.equal(known.of("ingest").length, 1, "it is no longer asked: it was removed");
});

t.test("processes - an address that now belongs to another service says nothing of the first", async (t) => {
  const known = new KnownProcesses();
  known.update(observed({ [A]: ready("ingest") }));
  known.update(observed({ [A]: ready("rewards") }));
  t.strictSame(known.of("ingest"), []);
  t.equal(known.of("rewards").length, 1);
});

t.test(
  "processes - the all-in-one answers for all of them, and its silence about one means that it is gone",
  async (t) => {
    const known = new KnownProcesses();
    const child = 'stampede_child_up{service="standalone",child="edge"} 1';
    known.update(observed({ [A]: [child, ready("standalone"), ready("edge"), ready("ingest")].join("\n") }));
    t.strictSame(known.of("edge"), [{ id: "edge", state: "ready", partitions: [] }]);
    known.update(observed({ [A]: [child, ready("standalone"), ready("edge")].join("\n") }));
    t.match(known.of("ingest"), [{ id: "ingest", state: "down" }]);
    known.update(observed({ [A]: undefined }));
    t.match([...known.of("edge"), ...known.of("ingest")], [{ state: "down" }, { state: "down" }]);
  },
);
