import { type Book, historyOf, type Problem } from "#test-world";
import type { InflictedFault, Injector } from "./injector.ts";

/** How long a fault may have effects: a session of the database that has not ended yet, a lease, a retry. */
const AFTERMATH_MS = 35_000;
const FAULTS_SHOWN = 25;

/**
 * A problem with everything that helps to explain it: the history of its transactions, and the faults at that
 * time.
 */
export function explain(problem: Problem, book: Book, injector: Injector, beganAt: number): string {
  const at = (time: number) => `+${((time - beganAt) / 1000).toFixed(3)}`;
  const { lines: history, from, until } = historyOf(problem, book, at);
  const lines = [`${problem.kind}: ${problem.text}`, ...history];
  const around = injector.around(from, until + AFTERMATH_MS, AFTERMATH_MS);
  if (around.length > 0) lines.push("  faults around it (* while a request was open)");
  const isDuring = (fault: InflictedFault) => fault.from <= until && (fault.until ?? until) >= from;
  const mark = (fault: InflictedFault) => `    ${isDuring(fault) ? "*" : " "} ${describeFault(fault, at)}`;
  lines.push(...around.slice(0, FAULTS_SHOWN).map(mark));
  if (around.length > FAULTS_SHOWN) lines.push(`    … and ${around.length - FAULTS_SHOWN} more`);
  return lines.join("\n");
}

export function describeFault(
  { number, kind, target, from, until }: InflictedFault,
  at: (time: number) => string,
): string {
  return `${at(from)} to ${until === undefined ? "the end" : at(until)} fault ${number}: ${kind} of ${target}`;
}
