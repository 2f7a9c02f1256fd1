import type { Pair } from "./tally.ts";

/** A line of the table: a number as the model has it and as it was found; indented below the one it is a part of. */
interface Row extends Pair {
  readonly name: string;
  readonly indent?: number;
}

export interface Section {
  /** Of the column with the numbers found. */
  readonly source: string;
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A part of the table with what was found out about it. */
export interface JudgedSection {
  readonly section: Section;
  /** Some of what differs, for people. */
  readonly examples: readonly string[];
}

const NAME_WIDTH = 44;
const NUMBER_WIDTH = 16;

/** The table, as lines. A number that is not as the model has it is marked. */
export function formatTable(sections: readonly Section[]): string[] {
  return sections.flatMap(({ title, source, rows }, i) => [
    ...(i > 0 ? [""] : []),
    `${title.padEnd(NAME_WIDTH)}${"model".padStart(NUMBER_WIDTH)}${source.padStart(NUMBER_WIDTH)}`,
    ...rows.map(formatRow),
  ]);
}

function formatRow({ name, indent = 0, expected, actual }: Row): string {
  const shown = `${"  ".repeat(indent + 1)}${name}`.padEnd(NAME_WIDTH);
  const mark = expected === actual ? "" : "  ← differs";
  return (
    shown + formatNumber(expected).padStart(NUMBER_WIDTH) + formatNumber(actual).padStart(NUMBER_WIDTH) + mark
  );
}

export function disagreeing(sections: readonly Section[]): Row[] {
  return sections.flatMap(({ rows }) => rows.filter(({ expected, actual }) => expected !== actual));
}

export function formatNumber(number: number): string {
  return number.toLocaleString("en");
}

/** The smallest value that at least this share of the values does not exceed; `sorted` ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
