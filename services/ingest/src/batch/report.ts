import { LIMITS } from "#contract";
import { copyTextAt } from "#contract/codec";
import {
  type IgnoredInPart,
  type IngestPart,
  type IngestReply,
  OUTCOME_LETTERS,
  type PartKey,
  type PartResult,
  type RejectedInPart,
} from "#contract/ingest";
import type { EventResult } from "#domain";
import { firstOrds, type PreparedBatch } from "./prepare-batch.ts";

/** The results of the events of one request in one message. */
interface PartReport extends PartResult {
  created: number;
  updated: number;
  unchanged: number;
  readonly rejected: RejectedInPart[];
  readonly ignored: IgnoredInPart[];
  ignoredCount: number;
  outcomes: string | undefined;
}

const NOT_SEEN = -1;

/** The outcomes of a batch by message and by request, as the edge receives them. */
export function collectReplies(
  prepared: PreparedBatch,
  outcomes: readonly (EventResult | undefined)[],
): IngestReply[] {
  const starts = firstOrds(prepared.heads);
  return prepared.heads.map((head, i) => {
    let ord = starts[i] as number;
    const parts = (head?.parts ?? []).map((part) => {
      const report = collectPart(prepared, outcomes, part, ord);
      ord += part.events;
      return report;
    });
    return { parts };
  });
}

function collectPart(
  prepared: PreparedBatch,
  outcomes: readonly (EventResult | undefined)[],
  { batch, events, detailed }: IngestPart,
  firstOrd: number,
): PartReport {
  const first = events === 0 ? NOT_SEEN : (prepared.indexes[firstOrd] as number);
  const counts = { created: 0, updated: 0, unchanged: 0, ignoredCount: 0 };
  const letters = detailed && lettersOf(outcomes, firstOrd, events);
  const report: PartReport = { batch, first, ...counts, rejected: [], ignored: [], outcomes: letters };
  for (let ord = firstOrd; ord < firstOrd + events; ord++) {
    const outcome = outcomes[ord];
    if (outcome === undefined) continue;
    if (outcome.kind === "rejected") {
      report.rejected.push({ ...outcome.rejection, ...placeOf(prepared, ord) });
      continue;
    }
    report[outcome.kind]++;
    if (outcome.ignored.length === 0) continue;
    report.ignoredCount++;
    // A caller that asks for each event's outcome gets all of them.
    if (detailed || report.ignored.length < LIMITS.ignoredEvents) {
      report.ignored.push({ ...placeOf(prepared, ord), fields: outcome.ignored });
    }
  }
  return report;
}

/** Undefined if the database refused one of them: its request stays without an outcome. */
function lettersOf(
  outcomes: readonly (EventResult | undefined)[],
  firstOrd: number,
  events: number,
): string | undefined {
  let letters = "";
  for (let ord = firstOrd; ord < firstOrd + events; ord++) {
    const outcome = outcomes[ord];
    if (outcome === undefined) return undefined;
    letters += OUTCOME_LETTERS[outcome.kind];
  }
  return letters;
}

function placeOf({ indexes, events }: PreparedBatch, ord: number) {
  return { index: indexes[ord] as number, externalId: copyTextAt(events.externalIds, ord) };
}

/**
 * The reply for messages that an earlier owner applied. It has no outcomes, because this process does not
 * know them; it lets the edge stop counting the messages.
 */
export function collectCommitted({ heads, indexes }: PreparedBatch): IngestReply[] {
  const starts = firstOrds(heads);
  return heads.map((head, i) => {
    let ord = starts[i] as number;
    const committed = (head?.parts ?? []).map(({ batch, events }): PartKey => {
      const first = events === 0 ? NOT_SEEN : (indexes[ord] as number);
      ord += events;
      return [batch, first];
    });
    return { parts: [], committed };
  });
}
