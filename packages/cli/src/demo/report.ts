/** A line of the table: the demo's own count of something, and the number that was found. */
interface Row {
  readonly name: string;
  /** Below the number of which it is a part. */
  readonly indent?: number;
  readonly expected: number;
  readonly actual: number;
}

/** A part of the table. */
export interface Section {
  /** Where the numbers were found. */
  readonly source: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** Some of the differences, in sentences. */
  readonly examples: readonly string[];
}

const NAME_WIDTH = 44;
const NUMBER_WIDTH = 16;

/** The table, as lines. A number that differs is marked. */
export function formatTable(sections: readonly Section[]): string[] {
  return sections.flatMap(({ title, source, rows }, i) => [
    ...(i > 0 ? [""] : []),
    `${title.padEnd(NAME_WIDTH)}${"own count".padStart(NUMBER_WIDTH)}${source.padStart(NUMBER_WIDTH)}`,
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

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
