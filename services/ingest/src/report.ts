import { type IngestReply, type RejectedInPart, toRejectedEvent } from "#contract";
import type { BatchPart, EventOutcome } from "#store";
import type { Head, PreparedBatch } from "./prepare-batch.ts";

/** What became of the events of one request in one message. */
interface PartReport {
  readonly batch: string;
  first: number;
  created: number;
  updated: number;
  unchanged: number;
  readonly rejected: RejectedInPart[];
}

const NOT_SEEN = -1;

/** The outcomes of a batch by message and by request, as the edge gets them. */
export function collectReplies(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
): IngestReply[] {
  const reports = prepared.heads.map((head) => (head?.parts ?? []).map(({ batch }) => emptyReport(batch)));
  for (const [ord, origin] of prepared.origins.entries()) {
    const outcome = outcomes[ord];
    const report = reports[origin.message]?.[origin.part];
    if (report === undefined) continue;
    if (report.first === NOT_SEEN) report.first = origin.index;
    if (outcome === undefined) continue;
    if (outcome.kind === "rejected") {
      report.rejected.push({ ...outcome.rejection, index: origin.index, externalId: origin.externalId });
    } else {
      report[outcome.kind]++;
    }
  }
  return reports.map((parts) => ({ parts }));
}

function emptyReport(batch: string): PartReport {
  return { batch, first: NOT_SEEN, created: 0, updated: 0, unchanged: 0, rejected: [] };
}

/** The outcomes that nobody waits for, or not any more: they are recorded for `transaction.batch/get`. */
export function collectLateParts(
  heads: readonly (Head | undefined)[],
  replies: readonly IngestReply[],
  now: number,
): BatchPart[] {
  const late: BatchPart[] = [];
  for (const [i, head] of heads.entries()) {
    for (const [p, part] of (head?.parts ?? []).entries()) {
      const report = replies[i]?.parts[p] as PartReport;
      if (now < part.awaitedUntil) continue;
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
