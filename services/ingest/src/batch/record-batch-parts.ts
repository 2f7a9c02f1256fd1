import { LIMITS } from "#contract";
import { type PartOutcome, toIgnoredEvent, toRejectedEvent } from "#contract/ingest";
import type { EventOutcome } from "#domain";
import type { Sql } from "#postgres";
import type { PreparedBatch } from "./prepare-batch.ts";
import { collectReplies } from "./report.ts";

/**
 * For an edge of the previous version, until no installation runs one: its batch ids do not name their
 * places, and it answers from `batch_parts`. Only the edge knows whether it answers its callers 202, so all
 * parts are recorded.
 */
export async function recordBatchParts(
  sql: Sql,
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
): Promise<void> {
  const { heads } = prepared;
  if (heads.every((head) => head?.named ?? true)) return;
  const replies = collectReplies(prepared, outcomes);
  const rows = heads.flatMap((head, i) =>
    head === undefined || head.named
      ? []
      : head.parts.map((part, p) => {
          const report = replies[i]?.parts[p] as PartOutcome;
          return {
            batch: part.batch,
            organisation: part.organisation,
            first: report.first,
            total: part.batchEvents,
            // The outcome of an event in the dead letters is not known: the batch stays pending.
            events: report.created + report.updated + report.unchanged + report.rejected.length,
            rejected: report.rejected.map(toRejectedEvent),
            ignored: report.ignored.slice(0, LIMITS.ignoredEvents).map(toIgnoredEvent),
            ignored_count: report.ignoredCount,
          };
        }),
  );
  await sql`
    insert into batch_parts
      (batch_id, organisation_id, first_event, batch_events, part_events, rejected, ignored, ignored_count)
    select batch, organisation, first, total, events, rejected, ignored, ignored_count
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as part (
      batch uuid, organisation uuid, first int, total int, events int, rejected jsonb, ignored jsonb, ignored_count int
    )
    on conflict do nothing`.send();
}
