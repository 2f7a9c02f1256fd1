import { readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { documentsWithFigures, whatToExpect } from "./document-figures.ts";
import { ROOT } from "./root.ts";

const line = (startedAt: string, setting: string, eventsPerSecond: number, connections: number) => ({
  started_at: startedAt,
  machine: { cpu: "a processor", cores: 4 },
  versions: { node: "v20.20.2", postgres: "18.4", nats: "2.14.0" },
  durability: { fsync: "on", nats_sync_always: true },
  workload: { connections },
  targets: [
    { name: "memory", value: 262.15, target: 256, met: false },
    { name: "ratio", value: 0.774, target: 1.5, met: false },
  ],
  throughput: [
    {
      contender: "stampede",
      request_size: 1,
      setting,
      events_per_second: eventsPerSecond,
      p50_ms: 9.04,
      p99_ms: 14.6,
    },
  ],
  latency: [],
});
const canonical = line("2026-03-02T00:00:00Z", "512 connections", 6182.75, 0);
const few = line("2026-03-03T00:00:00Z", "10 connections", 1043.2, 10);

const MARKS =
  "<!-- figures: made by `npm run generate` from the newest records in bench/results -->\n<!-- figures end -->\n";

/** A checkout with these records of few callers. */
function documents(t: Test, callers: readonly object[]): Record<string, string> {
  const results = (lines: readonly object[]) => lines.map((one) => `${JSON.stringify(one)}\n`).join("");
  const root = t.testdir({
    "README.md": MARKS,
    docs: { "api.md": MARKS },
    bench: {
      "README.md": MARKS,
      results: {
        "canonical.jsonl": results([canonical]),
        "reads.jsonl": results([{ ...canonical, reads: [] }]),
        "webhooks.jsonl": results([{ ...canonical, latency: { p50_ms: 5, p99_ms: 13 } }]),
        ...(callers.length > 0 && { "callers.jsonl": results(callers) }),
      },
    },
  });
  return Object.fromEntries(documentsWithFigures(root).map(({ file, text }) => [file, text]));
}

t.test("figures - the figures for few callers come from the newest record of ten connections", async (t) => {
  const older = line("2026-03-01T00:00:00Z", "10 connections", 5, 10);
  const wider = line("2026-03-04T00:00:00Z", "20 connections", 7, 20);
  const { "README.md": readme = "", "docs/api.md": api = "" } = documents(t, [few, older, wider]);
  t.match(readme, "\n| single events from ten callers: events/s | 1,040 |  |  |\n");
  t.match(
    api,
    "ten connections make 1,040 requests/s (p50 9 ms, p99 15 ms; 2026-03-03, 4 cores shared with the load),\n" +
      "512 connections make 6,180 (2026-03-02, 4 cores shared with the load).",
  );
});

t.test(
  "figures - without such a record they name the measurement's source, and the README has no row",
  async (t) => {
    const { "README.md": readme = "", "docs/api.md": api = "" } = documents(t, []);
    t.notMatch(readme, "ten callers");
    t.match(api, "1,050 requests/s ([decision 9](decisions/0009-gathering.md))");
    const decision = readFileSync(join(ROOT, "docs/decisions/0009-gathering.md"), "utf8");
    t.match(decision, /about 1,050\s+single\s+requests\/s\s+of\s+ten\s+callers/, "which says so");
  },
);

t.test("figures - a missed target names the side on which it was missed, and memory its unit", async (t) => {
  const { "bench/README.md": bench = "" } = documents(t, []);
  t.match(
    bench,
    "The record of 2026-03-02 misses 2 of its 2 targets:\n\n" +
      "- memory: 262 instead of at most 256 MiB\n- ratio: 0.774 instead of at least 1.5\n",
  );
});

t.test(
  "figures - without a measurement of single events the figures say nothing of many callers",
  async (t) => {
    t.notMatch(whatToExpect({ ...canonical, throughput: [] }, few), /undefined|–/);
  },
);
