import type { IgnoredEvent, RejectedEvent } from "../generated/publisher-api.ts";
import { type StampedeError, unexpectedAnswer } from "../stampede-error.ts";
import type { EventOutcome } from "./event-outcome.ts";

/** What an answer may say of a request's events: a 200, a 202, or the `data` of a refusal of some of them. */
export interface IngestAnswer {
  readonly status?: unknown;
  readonly batch_id?: unknown;
  /** One letter for each event, in the request's order. */
  readonly outcomes?: unknown;
  readonly rejected?: unknown;
  /** The events with ignored fields: a service that knows letters lists all, an older one the first hundred. */
  readonly ignored?: unknown;
  readonly accepted?: unknown;
  readonly created?: unknown;
  readonly updated?: unknown;
  readonly unchanged?: unknown;
}

const CREATED: EventOutcome = Object.freeze({ outcome: "created" });
const UPDATED: EventOutcome = Object.freeze({ outcome: "updated" });
const UNCHANGED: EventOutcome = Object.freeze({ outcome: "unchanged" });
const APPLIED: EventOutcome = Object.freeze({ outcome: "accepted", batch_id: null });

const BY_LETTER: Readonly<Record<string, EventOutcome>> = { c: CREATED, u: UPDATED, n: UNCHANGED };

/**
 * The outcome of each of a request's events, in their order.
 * @throws StampedeError (`unexpected_answer`) if the answer is about another number of events: then it is not the
 *   service's, and the outcomes are unknown
 */
export function readOutcomes(answer: IngestAnswer, count: number): readonly EventOutcome[] {
  if (answer.status === "accepted" && typeof answer.batch_id === "string") {
    if (answer.accepted !== count) throw strange(`${answer.accepted} accepted of ${count}`);
    return new Array(count).fill({ outcome: "accepted", batch_id: answer.batch_id });
  }
  const rejected = Array.isArray(answer.rejected) ? (answer.rejected as RejectedEvent[]) : [];
  if (answer.accepted !== count - rejected.length) throw strange(`${answer.accepted} accepted of ${count}`);
  const outcomes = appliedOutcomes(answer, count);
  for (const entry of rejected) {
    const { index, external_id: _, ...why } = (entry ?? {}) as RejectedEvent;
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw strange(`event ${String(index)} rejected of ${count}`);
    }
    if (outcomes[index]?.outcome === "rejected") throw strange(`event ${index} rejected twice`);
    // `outcome` comes last, so that no field of the entry replaces it.
    outcomes[index] = { ...why, outcome: "rejected" };
  }
  const ignored = Array.isArray(answer.ignored) ? (answer.ignored as IgnoredEvent[]) : [];
  for (const { index, fields } of ignored) {
    const taken = outcomes[index];
    if (taken === undefined || taken.outcome === "rejected") {
      throw strange(`fields of event ${String(index)} ignored, which was not taken`);
    }
    outcomes[index] = { ...taken, ignored: fields };
  }
  if (outcomes.includes(undefined)) throw strange("an event is rejected, and not listed");
  return outcomes as EventOutcome[];
}

/** Each event's outcome by its letter; undefined for a rejected event. */
function appliedOutcomes(answer: IngestAnswer, count: number): (EventOutcome | undefined)[] {
  const { outcomes } = answer;
  if (typeof outcomes !== "string") return new Array(count).fill(sameForAll(answer));
  if (outcomes.length !== count) throw strange(`${outcomes.length} outcomes of ${count} events`);
  // By index and not by character: one of two code units would leave the last event without an outcome.
  return Array.from({ length: count }, (_, index) => BY_LETTER[outcomes[index] as string]);
}

/**
 * A service that does not know letters gives the number of created events: if that is all of them, each was
 * created.
 */
function sameForAll({ accepted, created, updated, unchanged }: IngestAnswer): EventOutcome {
  if (created === accepted) return CREATED;
  if (updated === accepted) return UPDATED;
  return unchanged === accepted ? UNCHANGED : APPLIED;
}

function strange(what: string): StampedeError {
  return unexpectedAnswer(`the answer does not fit the request: ${what}`);
}
