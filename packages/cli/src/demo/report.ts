/** Of one number what the model says and what the service says. */
export interface Pair {
  expected: number;
  actual: number;
}

/** A line of the table: a number as the model has it and as it was found; indented below the one it is a part of. */
interface Row extends Readonly<Pair> {
  readonly name: string;
  readonly indent?: number;
}

/** A part of the table, and what was found out about it. */
export interface Section {
  /** Of the column with the numbers found. */
  readonly source: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** Some of what differs, for people. */
  readonly examples: readonly string[];
}

const NAME_WIDTH = 44;
const NUMBER_WIDTH = 16;

/**
 * The table, as lines. A number that is not as it is expected is marked.
 * @param expectation what the numbers expected are called
 */
export function formatTable(sections: readonly Section[], expectation = "model"): string[] {
  return sections.flatMap(({ title, source, rows }, i) => [
    ...(i > 0 ? [""] : []),
    `${title.padEnd(NAME_WIDTH)}${expectation.padStart(NUMBER_WIDTH)}${source.padStart(NUMBER_WIDTH)}`,
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
