import type { StampedeError } from "../stampede-error.ts";
import type { RejectedOutcome } from "./event-outcome.ts";
import { malformed } from "./validate-event.ts";

/** What to do after the service has refused a request as a whole, or not answered it. */
export type Verdict =
  /** Send the same again, later. `busy`: the service is there, and has too much to do. */
  | { readonly kind: "repeat"; readonly busy: boolean; readonly retryAfterMs: number }
  /** It is too large: send two of half the size. */
  | { readonly kind: "halve" }
  /** These events are malformed, by their index; the others can go without them. */
  | { readonly kind: "without"; readonly malformed: ReadonlyMap<number, RejectedOutcome> }
  /** It will never be taken. */
  | { readonly kind: "hopeless" };

/** 408, 425: a proxy's way of saying the same. */
const REPEATED: ReadonlySet<number> = new Set([408, 425, 429]);
const BUSY: ReadonlySet<number> = new Set([429, 503]);
/** The entry of the request that an issue is about. */
const EVENT_PATH = /^\/events\/(\d+)(?:\/|$)/;

/**
 * Repeating is always safe, because `external_id` keeps an event from counting twice. It is safe for any
 * fault of the service (5xx) too: a deadline ends it.
 */
export function judgeFailure(error: StampedeError, count: number): Verdict {
  const { status, code } = error;
  if (code === "connection_error" || status >= 500 || REPEATED.has(status)) {
    const retryAfterMs = Math.ceil((error.retryAfterSeconds ?? 0) * 1000);
    return { kind: "repeat", busy: BUSY.has(status), retryAfterMs };
  }
  if (status === 413 && count > 1) return { kind: "halve" };
  const malformed = status === 400 ? malformedEvents(error, count) : undefined;
  return malformed === undefined ? { kind: "hopeless" } : { kind: "without", malformed };
}

/**
 * The events that the service, newer than this client perhaps, finds malformed. It lists a hundred at most; the next
 * attempt learns of the others.
 */
function malformedEvents(
  { data }: StampedeError,
  count: number,
): ReadonlyMap<number, RejectedOutcome> | undefined {
  const found = new Map<number, RejectedOutcome>();
  for (const issue of Array.isArray(data.issues) ? data.issues : []) {
    const index = Number(EVENT_PATH.exec(String(issue?.path))?.[1] ?? Number.NaN);
    if (index < count)
      found.set(index, malformed({ path: String(issue.path), message: String(issue.message) }));
  }
  return found.size > 0 ? found : undefined;
}
