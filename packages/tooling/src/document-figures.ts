import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceMarked } from "./replace-marked.ts";
import type { GeneratedFile } from "./root.ts";

const README = "README.md";
const BENCH = "bench/README.md";
const API = "docs/api.md";

interface Target {
  readonly name: string;
  readonly value: number | null;
  readonly target: number;
  readonly met: boolean | null;
}

/** The fields of all records of the benchmark. */
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
  /** Such as "512 connections". */
  readonly setting: string;
  readonly events_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Of `--subject stampede --size 1 --connections N`: closed loops of single events. */
interface Callers extends Line {
  readonly workload: { readonly connections: number };
  readonly throughput: readonly Throughput[];
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

/** In the order of the table's columns. */
const CONTENDERS = ["stampede", "outbox", "peer"];

/** The number of callers in the documents. */
const FEW = 10;

/** The documents with the figures of the newest records of Node 20. */
export function documentsWithFigures(root: string): GeneratedFile[] {
  const read: Read = (name, node, isWanted) => newest(root, name, node, isWanted);
  const canonical = required(read<Canonical>("canonical", 20), "canonical");
  const few = read<Callers>("callers", 20, ({ workload }) => workload.connections === FEW);
  return [
    withFigures(root, README, readmeFigures(canonical, few, read)),
    withFigures(root, BENCH, missed(canonical)),
    withFigures(root, API, whatToExpect(canonical, few)),
  ];
}

/** The newest record of a benchmark on that Node, if there is one. */
type Read = <L extends Line>(name: string, node: number, isWanted?: (line: L) => boolean) => L | undefined;

function withFigures(root: string, file: string, figures: string): GeneratedFile {
  const text = replaceMarked(readFileSync(join(root, file), "utf8"), "figures", figures);
  if (text === undefined) throw new Error(`${file} has lost the marks around its figures`);
  return { file, text };
}

/** The table with the peers' columns. */
function readmeFigures(canonical: Canonical, few: Callers | undefined, read: Read): string {
  const rows = [
    ...throughputRows(canonical, few),
    ...readsRows(required(read<Reads>("reads", 20), "reads")),
    ...webhookRows(required(read<Webhooks>("webhooks", 20), "webhooks")),
  ];
  const table = [
    "| | Stampede | service with an outbox | service alone |",
    "|---|--:|--:|--:|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
  const notes = [described(canonical), laterNode(read<Canonical>("canonical", 24))];
  return [...table, "", ...notes.filter((note) => note !== undefined)].join("\n");
}

type Measured = Pick<Canonical, "started_at" | "machine" | "throughput">;

/**
 * The rates of single events over few connections and over many, each with the day and the machine of its
 * record.
 */
export function whatToExpect(canonical: Measured, few: Measured | undefined): string {
  const ten = few && singleEvents(few);
  const many = singleEvents(canonical);
  const rates = [
    ten === undefined
      ? "ten connections make about 1,050 requests/s ([decision 9](decisions/0009-gathering.md))"
      : `ten connections make ${count(ten.events_per_second)} requests/s ` +
        `(p50 ${milliseconds(ten.p50_ms)}, p99 ${milliseconds(ten.p99_ms)}; ${madeOn(few as Measured)})`,
    ...(many === undefined
      ? []
      : [`${many.setting} make ${count(many.events_per_second)} (${madeOn(canonical)})`]),
  ];
  return (
    "Measured with requests of one event, where each connection sends the next one as soon as the one before is answered:\n" +
    `${rates.join(",\n")}.`
  );
}

function madeOn({ started_at, machine }: Measured): string {
  return `${started_at.slice(0, 10)}, ${machine.cores} cores shared with the load`;
}

/**
 * Of the wanted records that were made on this Node, the one that began last; undefined without such a file.
 */
function newest<L extends Line>(
  root: string,
  name: string,
  node: number,
  isWanted: (line: L) => boolean = () => true,
): L | undefined {
  const file = join(root, "bench", "results", `${name}.jsonl`);
  if (!existsSync(file)) return undefined;
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as L)
    .filter((line) => line.versions.node.startsWith(`v${node}.`) && isWanted(line))
    .sort((a, b) => (a.started_at < b.started_at ? 1 : -1))[0];
}

function required<L>(line: L | undefined, name: string): L {
  if (line === undefined) throw new Error(`bench/results/${name}.jsonl has no record of Node 20`);
  return line;
}

/** Figures by autocannon, which made the older records too. */
function throughputOf({ throughput }: Pick<Canonical, "throughput">, contender: string, size: number) {
  return throughput.find(
    (one) =>
      one.contender === contender &&
      one.request_size === size &&
      (one.generator ?? "autocannon") === "autocannon",
  );
}

const singleEvents = (line: Pick<Canonical, "throughput">) => throughputOf(line, "stampede", 1);

function throughputRows(canonical: Canonical, few?: Callers): string[][] {
  const { latency } = canonical;
  const rate = (contender: string, size: number) =>
    throughputOf(canonical, contender, size)?.events_per_second;
  // Each at half of its own maximum: half of Stampede's may be more than the peer can do.
  const p99 = (contender: string) =>
    latency.find(
      ({ request_size, load, ...one }) =>
        one.contender === contender &&
        request_size === 1 &&
        load === (contender === "stampede" ? "half of Stampede's maximum" : "half of its own maximum"),
    )?.p99_ms;
  return [
    ...[500, 50, 1].map((size) => [
      size === 1 ? "single events: events/s" : `requests of ${size} events: events/s`,
      ...CONTENDERS.map((contender) => count(rate(contender, size))),
    ]),
    ...(few === undefined
      ? []
      : [["single events from ten callers: events/s", count(singleEvents(few)?.events_per_second), "", ""]]),
    [
      "single events, at half of each service's maximum rate: p99",
      ...CONTENDERS.map((contender) => milliseconds(p99(contender))),
    ],
  ];
}

function readsRows({ reads }: Reads): string[][] {
  const rate = (contender: string) =>
    reads.find((one) => one.route === "transaction/get" && one.contender === contender)?.requests_per_second;
  return [["`transaction/get`: requests/s", count(rate("stampede")), "", count(rate("peer"))]];
}

function webhookRows({ latency }: Webhooks): string[][] {
  return [
    [
      "commit to webhook: p50, p99",
      `${milliseconds(latency.p50_ms)}, ${milliseconds(latency.p99_ms)}`,
      "",
      "",
    ],
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

/** States the missed targets honestly; a record may have met all. */
function missed({ started_at, targets }: Line): string {
  const measured = targets.filter(({ met }) => met !== null);
  const short = measured.filter(({ met }) => met === false);
  if (short.length === 0)
    return `The record of ${started_at.slice(0, 10)} meets all of its ${measured.length} targets.`;
  return [
    `The record of ${started_at.slice(0, 10)} misses ${short.length} of its ${measured.length} targets:`,
    "",
    ...short.map((target) => `- ${shortfall(target)}`),
  ].join("\n");
}

/**
 * Missed from below or from above: so the text names the target. Records have no units: all but memory are
 * ratios.
 */
function shortfall({ name, value, target }: Target): string {
  const unit = /memory/.test(name) ? " MiB" : "";
  const wanted = `at ${Number(value) < target ? "least" : "most"} ${target}${unit}`;
  return `${name}: ${Number(Number(value).toPrecision(3))} instead of ${wanted}`;
}

/** undefined: the record has no measurement. */
function laterNode(line: Canonical | undefined): string | undefined {
  if (line === undefined) return undefined;
  const [large, , single] = throughputRows(line);
  const pair = (row: string[] = []) => `${row[1]} (service alone ${row[3]})`;
  return (
    `On Node ${line.versions.node} over \`node:http\`, in events/s: ` +
    `requests of 500 events ${pair(large)}, single events ${pair(single)}.`
  );
}

/** Three digits, since the next run gives different ones. */
function count(value: number | undefined): string {
  if (value === undefined) return "–";
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? "–" : `${Number(value.toPrecision(2)).toLocaleString("en-US")} ms`;
}
