import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CostMeasurements } from "./measure-costs.ts";
import { FACTOR, resultsOf, type ScalingResults } from "./results.ts";
import {
  boundRows,
  costRows,
  memorySentence,
  planRows,
  predictionRows,
  type Rows,
  volumeRows,
} from "./tables.ts";

export const SCALING_DOC = "docs/scaling.md";
const ROOT = new URL("../../../../", import.meta.url);
const RECORD = fileURLToPath(new URL("bench/results/scaling.jsonl", ROOT));

/** The fields of a record's line that are read back. */
interface ScalingLine {
  readonly started_at: string;
  readonly commit: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly versions: { readonly node: string; readonly postgres: string; readonly nats: string };
  readonly durability: { readonly filesystem: string };
  readonly measured: CostMeasurements;
}

/** The last line of the committed record. */
export function newestRecord(): ScalingLine {
  const lines = readFileSync(RECORD, "utf8").trimEnd().split("\n");
  return JSON.parse(lines.at(-1) as string) as ScalingLine;
}

export function writeScalingDoc(line: ScalingLine): void {
  const file = fileURLToPath(new URL(SCALING_DOC, ROOT));
  writeFileSync(file, withNumbers(readFileSync(file, "utf8"), line));
}

export function readScalingDoc(): string {
  return readFileSync(new URL(SCALING_DOC, ROOT), "utf8");
}

/** The text with new tables; they replace everything between `<!-- name -->` and `<!-- /name -->`. */
export function withNumbers(text: string, line: ScalingLine): string {
  const results = resultsOf(line.measured);
  return Object.entries(blocksOf(results, line)).reduce((whole, [name, block]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = whole.indexOf(begin);
    const to = whole.indexOf(end);
    if (from === -1 || to < from) throw new Error(`${SCALING_DOC} has no place for ${begin}`);
    return `${whole.slice(0, from + begin.length)}\n${block}\n${whole.slice(to)}`;
  }, text);
}

function blocksOf(results: ScalingResults, line: ScalingLine): Readonly<Record<string, string>> {
  const { machine, versions, durability } = line;
  const others = Math.max(...results.measured.predicted.map(({ otherCores }) => otherCores));
  return {
    machine:
      `Record of ${line.started_at.slice(0, 10)}, commit ${line.commit.slice(0, 9)}${line.commit.endsWith("+") ? " with changes" : ""}: ${machine.cores} × ${machine.cpu}, ` +
      `Node ${versions.node}, PostgreSQL ${versions.postgres}, NATS ${versions.nats}, ${durability.filesystem}; one synced ` +
      `write takes ${results.measured.syncMs.toFixed(2)} ms. Other processes took up to ${others.toFixed(2)} cores meanwhile.`,
    factor: `The factor is ${FACTOR}.`,
    costs: markdown(costRows(results)),
    volumes: markdown(volumeRows(results)),
    memory: memorySentence(results),
    predictions: markdown(predictionRows(results)),
    plans: markdown(planRows(results)),
    bounds: markdown(boundRows(results)),
  };
}

function markdown([head = [], ...rows]: Rows): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}
