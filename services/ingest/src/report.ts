import {
  type IngestPart,
  type IngestReply,
  type RejectedEvent,
  type RejectedInPart,
  toRejectedEvent,
} from "#contract";
import type { BatchPart, EventOutcome } from "#store";
import { firstOrds, type Head, type PreparedBatch } from "./prepare-batch.ts";
import { textAt } from "./texts.ts";

/** What became of the events of one request in one message. */
interface PartReport {
  readonly batch: string;
  readonly first: number;
  created: number;
  updated: number;
  unchanged: number;
  readonly rejected: RejectedInPart[];
  readonly ignored: [];
  readonly ignoredCount: number;
}

const NOT_SEEN = -1;

/** The outcomes of a batch by message and by request, as the edge gets them. */
export function collectReplies(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
): IngestReply[] {
  const starts = firstOrds(prepared.heads);
  return prepared.heads.map((head, i) => {
    let ord = starts[i] as number;
    const parts = (head?.parts ?? []).map((part) => {
      const report = collectPart(prepared, outcomes, part, ord);
      ord += part.events;
      return report;
    });
    return { confirm: "", parts };
  });
}

function collectPart(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
  { batch, events }: IngestPart,
  firstOrd: number,
): PartReport {
  const first = events === 0 ? NOT_SEEN : (prepared.indexes[firstOrd] as number);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const report: PartReport = { batch, first, ...counts, rejected: [], ignored: [], ignoredCount: 0 };
  for (let ord = firstOrd; ord < firstOrd + events; ord++) {
    const outcome = outcomes[ord];
    if (outcome === undefined) continue;
    if (outcome.kind === "rejected") {
      const index = prepared.indexes[ord] as number;
      report.rejected.push({ ...outcome.rejection, index, externalId: textAt(prepared.externalIds, ord) });
    } else {
      report[outcome.kind]++;
    }
  }
  return report;
}

/** A part whose caller was not told in the answer. */
export interface LatePart extends Omit<BatchPart, "events"> {
  readonly rejected: readonly RejectedEvent[];
}

/** The outcomes that nobody waits for, or not any more: they are recorded for `transaction.batch/get`. */
export function collectLateParts(
  heads: readonly (Head | undefined)[],
  replies: readonly IngestReply[],
): LatePart[] {
  const late: LatePart[] = [];
  for (const [i, head] of heads.entries()) {
    for (const [p, part] of (head?.parts ?? []).entries()) {
      const report = replies[i]?.parts[p] as PartReport;
      if (part.awaited) continue;
      late.push({
        batchId: part.batch,
        organisationId: part.organisation,
        firstEvent: report.first,
        batchEvents: part.batchEvents,
        // An event that went to the dead letters is not known: the batch stays pending.
        partEvents: report.created + report.updated + report.unchanged + report.rejected.length,
        rejected: report.rejected.map(toRejectedEvent),
      });
    }
  }
  return late;
}
