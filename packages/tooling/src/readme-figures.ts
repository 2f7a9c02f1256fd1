import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratedFile } from "./root.ts";

const README = "README.md";
const BEGIN = "<!-- figures: made by `npm run generate` from the newest records in bench/results -->";
const END = "<!-- figures end -->";

interface Target {
  readonly name: string;
  readonly value: number | null;
  readonly target: number;
  readonly met: boolean | null;
}

/** What all records of the benchmark have. */
interface Line {
  readonly started_at: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly versions: Readonly<Record<"node" | "postgres" | "nats", string>>;
  readonly durability: { readonly fsync: string; readonly nats_sync_always: boolean };
  readonly targets: readonly Target[];
}

interface Throughput {
  readonly contender: string;
  readonly request_size: number;
  readonly generator?: string;
  readonly events_per_second: number;
}

interface Canonical extends Line {
  readonly throughput: readonly Throughput[];
  readonly latency: ReadonlyArray<{
    readonly contender: string;
    readonly request_size: number;
    readonly load: string;
    readonly p99_ms: number;
  }>;
}

interface Reads extends Line {
  readonly reads: ReadonlyArray<{
    readonly route: string;
    readonly contender: string;
    readonly requests_per_second: number;
  }>;
}

interface Webhooks extends Line {
  readonly latency: { readonly p50_ms: number; readonly p99_ms: number };
}

/** The README with the figures of the newest records of Node 20, the peer's beside them, and the targets that were missed. */
export function readmeWithFigures(root: string): GeneratedFile {
  const text = readFileSync(join(root, README), "utf8");
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error("the README has lost the marks around its figures");
  const read = <L extends Line>(name: string, node: number) => newest<L>(root, name, node);
  const canonical = required(read<Canonical>("canonical", 20), "canonical");
  const rows = [
    ...throughputRows(canonical),
    ...readsRows(required(read<Reads>("reads", 20), "reads")),
    ...webhookRows(required(read<Webhooks>("webhooks", 20), "webhooks")),
  ];
  const table = ["| | Stampede | peer |", "|---|--:|--:|", ...rows.map((row) => `| ${row.join(" | ")} |`)];
  const notes = [described(canonical), missed(canonical), laterNode(read<Canonical>("canonical", 24))];
  const figures = [...table, "", ...notes.filter((note) => note !== undefined)].join("\n");
  return { file: README, text: `${text.slice(0, begin + BEGIN.length)}\n${figures}\n${text.slice(end)}` };
}

/** Of the records that were made on this Node, the one that began last. */
function newest<L extends Line>(root: string, name: string, node: number): L | undefined {
  const lines = readFileSync(join(root, "bench", "results", `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  return lines
    .map((line) => JSON.parse(line) as L)
    .filter(({ versions }) => versions.node.startsWith(`v${node}.`))
    .sort((a, b) => (a.started_at < b.started_at ? 1 : -1))[0];
}

function required<L>(line: L | undefined, name: string): L {
  if (line === undefined) throw new Error(`bench/results/${name}.jsonl has no record of Node 20`);
  return line;
}

function throughputRows({ throughput, latency }: Canonical): string[][] {
  const rate = (contender: string, size: number) =>
    throughput.find(
      (one) =>
        one.contender === contender &&
        one.request_size === size &&
        (one.generator ?? "autocannon") === "autocannon",
    )?.events_per_second;
  // Each at half of its own maximum: at half of Stampede's the peer may be past what it can do.
  const p99 = (contender: string) =>
    latency.find(
      ({ request_size, load, ...one }) =>
        one.contender === contender &&
        request_size === 1 &&
        load === (contender === "peer" ? "half of its own maximum" : "half of Stampede's maximum"),
    )?.p99_ms;
  return [
    ...[500, 50, 1].map((size) => [
      size === 1 ? "single events: events/s" : `requests of ${size} events: events/s`,
      ...["stampede", "peer"].map((contender) => count(rate(contender, size))),
    ]),
    [
      "single events at half of its own maximum: p99",
      milliseconds(p99("stampede")),
      milliseconds(p99("peer")),
    ],
  ];
}

function readsRows({ reads }: Reads): string[][] {
  const rate = (contender: string) =>
    reads.find((one) => one.route === "transaction/get" && one.contender === contender)?.requests_per_second;
  return [["`transaction/get`: requests/s", count(rate("stampede")), count(rate("peer"))]];
}

function webhookRows({ latency }: Webhooks): string[][] {
  return [
    ["commit to webhook: p50, p99", `${milliseconds(latency.p50_ms)}, ${milliseconds(latency.p99_ms)}`, ""],
  ];
}

function described({ started_at, machine, versions, durability }: Line): string {
  const isSynced = durability.fsync === "on" && durability.nats_sync_always;
  const { node, postgres, nats } = versions;
  return (
    `Record of ${started_at.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}) shared with the load, ` +
    `Node ${node}, PostgreSQL ${postgres}, NATS ${nats}, ${isSynced ? "every write synced" : "NOT every write synced"}.`
  );
}

/** Honesty about what was wanted; a record may have met everything. */
function missed({ targets }: Line): string {
  const measured = targets.filter(({ met }) => met !== null);
  const short = measured.filter(({ met }) => met === false);
  if (short.length === 0) return `All of its ${measured.length} targets were met.`;
  const list = short.map(({ name, value, target }) => `${name} ${value} (wanted ${target})`).join("; ");
  return `**Missed: ${short.length} of its ${measured.length} targets**: ${list}.`;
}

/** undefined: nothing was measured there. */
function laterNode(line: Canonical | undefined): string | undefined {
  if (line === undefined) return undefined;
  const [large, , single] = throughputRows(line);
  const pair = (row: string[] = []) => `${row[1]} (peer ${row[2]})`;
  return `On Node ${line.versions.node} over \`node:http\`: requests of 500 ${pair(large)}, single events ${pair(single)}.`;
}

/** Three digits, since the next run gives others. */
function count(value: number | undefined): string {
  if (value === undefined) return "–";
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? "–" : `${Number(value.toPrecision(2)).toLocaleString("en-US")} ms`;
}
