import { LIMITS, type RejectedEvent } from "#contract";
import { copyTextAt } from "#contract/codec";
import {
  type IgnoredInPart,
  type IngestPart,
  type IngestReply,
  OUTCOME_LETTERS,
  type PartOutcome,
  type RejectedInPart,
  toIgnoredEvent,
  toRejectedEvent,
} from "#contract/ingest";
import type { EventOutcome } from "#domain";
import { firstOrds, type Head, type PreparedBatch } from "./prepare-batch.ts";
import type { BatchPart } from "./record-batch-parts.ts";

/** What became of the events of one request in one message. */
interface PartReport extends PartOutcome {
  created: number;
  updated: number;
  unchanged: number;
  readonly rejected: RejectedInPart[];
  readonly ignored: IgnoredInPart[];
  ignoredCount: number;
  outcomes: string | undefined;
}

const NOT_SEEN = -1;

/**
 * The outcomes of a batch by message and by request, as the edge gets them.
 * @param confirm subject on which the edge says what it told
 */
export function collectReplies(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
  confirm: string,
): IngestReply[] {
  const starts = firstOrds(prepared.heads);
  return prepared.heads.map((head, i) => {
    let ord = starts[i] as number;
    const parts = (head?.parts ?? []).map((part) => {
      const report = collectPart(prepared, outcomes, part, ord);
      ord += part.events;
      return report;
    });
    return { confirm, parts };
  });
}

function collectPart(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
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
    // Who asks what became of each event is told of all of them.
    if (detailed || report.ignored.length < LIMITS.ignoredEvents) {
      report.ignored.push({ ...placeOf(prepared, ord), fields: outcome.ignored });
    }
  }
  return report;
}

/** Undefined where the database refused one: its request stays without an outcome. */
function lettersOf(
  outcomes: readonly (EventOutcome | undefined)[],
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

/** A report waits up to a minute for its confirmation, and for as long as the database is away. */
function placeOf({ indexes, events }: PreparedBatch, ord: number) {
  return { index: indexes[ord] as number, externalId: copyTextAt(events.externalIds, ord) };
}

/** A part whose caller was not told in the answer, or may turn out not to be. */
export interface LatePart extends Omit<BatchPart, "events"> {
  readonly rejected: readonly RejectedEvent[];
}

/** A part of a message with what is recorded of it unless its caller is told. */
export interface ReportedPart {
  readonly awaited: boolean;
  readonly outcome: PartOutcome;
  readonly part: LatePart;
}

/** The parts of each message. */
export function collectParts(
  heads: readonly (Head | undefined)[],
  replies: readonly IngestReply[],
): ReportedPart[][] {
  return heads.map((head, i) =>
    (head?.parts ?? []).map((part, p) => {
      const report = replies[i]?.parts[p] as PartOutcome;
      return { awaited: part.awaited, outcome: report, part: toLatePart(part, report) };
    }),
  );
}

function toLatePart(part: IngestPart, report: PartOutcome): LatePart {
  return {
    batchId: part.batch,
    organisationId: part.organisation,
    firstEvent: report.first,
    batchEvents: part.batchEvents,
    // An event that went to the dead letters is not known: the batch stays pending.
    partEvents: report.created + report.updated + report.unchanged + report.rejected.length,
    rejected: report.rejected.map(toRejectedEvent),
    ignored: report.ignored.slice(0, LIMITS.ignoredEvents).map(toIgnoredEvent),
    ignoredCount: report.ignoredCount,
  };
}
