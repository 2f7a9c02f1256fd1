import type { Sql } from "../connect.ts";

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
}

/** Records outcomes for later reading. A part that is there already stays as it is: the first report counts. */
export async function recordBatchParts(sql: Sql, parts: readonly BatchPart[]): Promise<void> {
  if (parts.length === 0) return;
  await sql`
    insert into batch_parts
      (batch_id, organisation_id, first_event, batch_events, part_events, rejected)
    select "batchId", "organisationId", "firstEvent", "batchEvents", "partEvents", rejected
    from json_to_recordset(${JSON.stringify(parts)}::text::json) as part (
      "batchId" uuid, "organisationId" uuid, "firstEvent" int, "batchEvents" int, "partEvents" int, rejected jsonb
    )
    on conflict do nothing
  `;
}
