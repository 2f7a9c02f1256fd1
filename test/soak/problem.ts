import type { TransactionEvent } from "#contract";
import type { Book, SentRequest } from "./book.ts";
import type { InflictedFault, Injector } from "./injector.ts";

/** A violation of the contract. */
export interface Problem {
  /** The kind of the fault, such as `stored`, `batch`, `card`. */
  readonly kind: string;
  readonly text: string;
  /** The transactions concerned, whose history explains it. */
  readonly refs: readonly string[];
}

/** How long a fault may have effects: a session of the database that has not ended yet, a lease, a retry. */
const AFTERMATH_MS = 35_000;
const FAULTS_SHOWN = 25;
const REFS_SHOWN = 6;

/**
 * A problem with everything that helps to explain it: the history of its transactions, and the faults at that
 * time.
 */
export function explain(problem: Problem, book: Book, injector: Injector, beganAt: number): string {
  const at = (time: number) => `+${((time - beganAt) / 1000).toFixed(3)}`;
  const lines = [`${problem.kind}: ${problem.text}`];
  let from = Number.POSITIVE_INFINITY;
  let until = 0;
  for (const ref of problem.refs.slice(0, REFS_SHOWN)) {
    lines.push(`  history of ${ref}`);
    for (const request of book.entries.get(ref)?.requests ?? []) {
      lines.push(...historyOf(request, ref, at).map((line) => `    ${line}`));
      from = Math.min(from, request.attempts[0]?.from ?? from);
      until = Math.max(until, request.attempts.at(-1)?.until ?? until);
    }
  }
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

function historyOf(request: SentRequest, ref: string, at: (time: number) => string): string[] {
  const said = request.events.flatMap((event, index) => {
    return event.external_id === ref ? [`event ${index}: ${describeEvent(event)}`] : [];
  });
  const kind = request.isAsync ? ", respond-async" : "";
  const batch = request.batchId === undefined ? "" : `, ${request.batchId}`;
  return [
    `request ${request.number} (${request.events.length} events${kind}${batch}): ${request.verdict}; ${said.join("; ")}`,
    ...request.attempts.map(({ from, until, url, status, note }) => {
      const port = new URL(url).port;
      return `  ${at(from)} to ${at(until)} at :${port} ${status ?? "no answer"} ${status === 200 ? "" : note}`;
    }),
  ];
}

function describeEvent(event: TransactionEvent): string {
  const { amount, currency, cleared_at, reverted_at } = event;
  const what =
    reverted_at !== undefined
      ? `reverted ${reverted_at}`
      : cleared_at !== undefined
        ? `cleared ${cleared_at}`
        : "authorized";
  return `${what}, ${amount ?? "no amount"} ${currency ?? ""}`;
}
