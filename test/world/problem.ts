import type { TransactionEvent } from "#contract";
import type { Book, SentRequest } from "./book.ts";

/** A violation of the contract. */
export interface Problem {
  /** The kind of the fault, such as `stored`, `batch`, `card`. */
  readonly kind: string;
  readonly text: string;
  /** The transactions concerned, whose history explains it. */
  readonly refs: readonly string[];
}

export interface History {
  readonly lines: readonly string[];
  /** When the first of its requests began, and when the last one ended, by `Date.now`. */
  readonly from: number;
  readonly until: number;
}

const REFS_SHOWN = 6;

/** Everything that was sent and answered about the transactions of a problem. @param at writes a time */
export function historyOf(problem: Problem, book: Book, at: (time: number) => string): History {
  const lines: string[] = [];
  let from = Number.POSITIVE_INFINITY;
  let until = 0;
  for (const ref of problem.refs.slice(0, REFS_SHOWN)) {
    lines.push(`  history of ${ref}`);
    for (const request of book.entries.get(ref)?.requests ?? []) {
      lines.push(...describeRequest(request, ref, at).map((line) => `    ${line}`));
      from = Math.min(from, request.attempts[0]?.from ?? from);
      until = Math.max(until, request.attempts.at(-1)?.until ?? until);
    }
  }
  return { lines, from, until };
}

function describeRequest(request: SentRequest, ref: string, at: (time: number) => string): string[] {
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
