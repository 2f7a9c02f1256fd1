import type { Sql } from "#postgres";
import { lockForEvents, type StoredEvent, storedEvents, toldBody } from "#publisher-db";

/** The outcome of a batch's events in one stream message. */
export interface BatchPart {
  readonly batchId: string;
  readonly organisationId: string;
  /** Place in the batch of the part's first event. */
  readonly firstEvent: number;
  readonly batchEvents: number;
  readonly partEvents: number;
  /** Rejected events in the form of the API. */
  readonly rejected: readonly object[];
  /** Events of which something was not taken, in the form of the API, and how many they are in all. */
  readonly ignored: readonly object[];
  readonly ignoredCount: number;
  /** What webhooks are told of them. */
  readonly events: readonly StoredEvent[];
}

/**
 * Records outcomes for later reading, and the events that tell of them. A part that is there already stays as it is, and
 * nothing more is told of it: the first report counts, however often its message is redelivered. Both are one statement,
 * so that no crash comes between them.
 * @param traceparent of the span that this is part of, for the events
 */
export async function recordBatchParts(
  sql: Sql,
  parts: readonly BatchPart[],
  traceparent?: string | undefined,
): Promise<void> {
  if (parts.length === 0) return;
  const rows = parts.map(({ events, ...part }) => part);
  const recorded = sql`
    insert into batch_parts
      (batch_id, organisation_id, first_event, batch_events, part_events, rejected, ignored, ignored_count)
    select "batchId", "organisationId", "firstEvent", "batchEvents", "partEvents", rejected, ignored, "ignoredCount"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as part (
      "batchId" uuid, "organisationId" uuid, "firstEvent" int, "batchEvents" int, "partEvents" int, rejected jsonb,
      ignored jsonb, "ignoredCount" int
    )
    on conflict do nothing`;
  const told = parts.flatMap(({ batchId, firstEvent, events }) =>
    events.map((event) => ({ batchId, firstEvent, event })),
  );
  if (told.length === 0) {
    await recorded;
    return;
  }
  // The lock of events comes last, after what may have to wait for another process with the same part (`counted` is read
  // whole before the lock): it holds up all writers of events.
  await sql`
    with recorded as (${recorded} returning batch_id, first_event),
    counted as materialized (select count(*) as parts from recorded),
    held as materialized (select ${lockForEvents(sql)} from counted)
    insert into events (id, organisation_id, type, at, transaction_id, body, traceparent)
    select id, organisation_id, type, at, transaction_id, ${toldBody(sql)}, ${traceparent ?? null}::text
    from ${storedEvents(
      sql,
      told.map(({ event }) => event),
    )}
    join unnest(
      ${told.map(({ batchId }) => batchId)}::uuid[], ${told.map(({ firstEvent }) => firstEvent)}::int[]
    ) with ordinality as about (batch_id, first_event, place) on about.place = told.ord + 1
    join recorded using (batch_id, first_event)
    cross join held
    order by ord`;
}
