import type { Usage } from "./usage.ts";

/** One row of the table of targets. */
export interface TargetResult {
  readonly name: string;
  /** undefined: this run did not measure it. */
  readonly value: number | undefined;
  readonly bound: "at least" | "at most";
  readonly target: number;
  /** `×` for ratios; otherwise the unit, such as `events/s`. */
  readonly unit: string;
  readonly met: boolean | undefined;
}

export function least(name: string, value: number | undefined, target: number, unit = "×"): TargetResult {
  const met = value === undefined ? undefined : value >= target;
  return { name, value, bound: "at least", target, unit, met };
}

export function most(name: string, value: number | undefined, target: number, unit = "×"): TargetResult {
  const met = value === undefined ? undefined : value <= target;
  return { name, value, bound: "at most", target, unit, met };
}

export function ratio(ours: number | undefined, theirs: number | undefined): number | undefined {
  return ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
}

/** Whether everything was as expected. */
export interface Verdict {
  readonly faults: readonly string[];
  /** The checked objects, and the statement that holds without a fault. */
  readonly what?: string;
  readonly holds: string;
  /** The parts of the benchmark that it covers, if there are several. */
  readonly parts?: readonly string[];
  /** More for the record. */
  readonly counts?: object;
  /** Whether the benchmark fails, if the faults do not decide that. */
  readonly isFailure?: boolean;
}

const FAULTS_SHOWN = 12;

export function verdictLine({ faults, what, holds, parts }: Verdict): string {
  if (faults.length > 0) {
    const shown = faults.slice(0, FAULTS_SHOWN).map((fault) => `\n  ${fault}`);
    return `NOT VERIFIED, ${faults.length} faults${what === undefined ? "" : ` (${what})`}:${shown.join("")}`;
  }
  const of = parts === undefined ? "" : ` (${parts.join(", ")})`;
  return `verified${of}: ${what === undefined ? "" : `${what}; `}${holds}`;
}

/** All failed expectations, with the name of their part; for results in parts, each if it was measured. */
export function faultsOf(results: object): string[] {
  return Object.entries(results).flatMap(
    ([part, measured]: [string, { faults: readonly string[] } | undefined]) =>
      (measured?.faults ?? []).map((fault) => `${part}: ${fault}`),
  );
}

export function targetTable(targets: readonly TargetResult[]): string {
  const measured = targets.filter(({ value }) => value !== undefined);
  const rows = measured.map(({ name, value = 0, bound, target, unit, met }) => {
    const shown = `${value.toFixed(unit === "×" ? 2 : 0)} ${unit}`;
    return [name, shown, `${bound} ${target} ${unit}`, met ? "met" : "MISSED"];
  });
  const table = alignTable([["target", "this run", "wanted", ""], ...rows]);
  const open = targets.length - measured.length;
  return open === 0 ? table : `${table}\n${open} of ${targets.length} targets not measured in this run`;
}

/** Parts of a report one below the other, without empty ones. */
export function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The head and the rows; nothing if there are no rows. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? "" : alignTable([head, ...rows]);
}

/** Columns of equal width; number columns, judged by the second row, are aligned right. */
export function alignTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const isNumber = widths.map((_, column) => /^[\d ]/.test(rows[1]?.[column] ?? ""));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] as number;
        return isNumber[column] && column !== row.length - 1 ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** Lowest and highest repetition, if there are several: how far the machine can be trusted. */
export function spread(repetitions: readonly number[]): string {
  if (repetitions.length < 2) return "";
  return ` (${thousands(Math.min(...repetitions))} to ${thousands(Math.max(...repetitions))})`;
}

/** Microseconds of each process, and of the database if it was watched, for each unit. */
export function cost({ processes, databaseCpuSeconds }: Usage, things: number): string {
  if (things === 0) return "";
  const each = (name: string, seconds: number) => `${name} ${((seconds * 1e6) / things).toFixed(1)}`;
  return [
    ...processes.map(({ name, cpuSeconds }) => each(name, cpuSeconds)),
    ...(databaseCpuSeconds === undefined ? [] : [each("Postgres", databaseCpuSeconds)]),
  ].join(", ");
}

export function memory({ processes }: Usage): string {
  return processes.map(({ name, rssBytes }) => `${name} ${mib(rssBytes)}`).join(", ");
}

export function mib(bytes: number): string {
  return (bytes / (1024 * 1024)).toFixed(0);
}

export function statuses(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${thousands(count)} × ${status}`)
    .join(", ");
}

export function thousands(value: number): string {
  const digits = String(Math.round(value));
  return digits.replace(/\B(?=(\d{3})+$)/g, " ");
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`;
}
