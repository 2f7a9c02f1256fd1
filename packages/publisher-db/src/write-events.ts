import { ADVISORY_LOCKS, type Fragment, type Sql } from "#postgres";

/** An event as it is kept for delivery. */
export interface StoredEvent {
  readonly id: string;
  readonly organisationId: string;
  readonly type: string;
  /** Normalised UTC text with microseconds. */
  readonly at: string;
  /** Null for an event about a transaction that is not stored. */
  readonly transactionId: string | null;
  /** The JSON of a `WebhookEvent`, whole: what a webhook gets. */
  readonly body: string;
}

/**
 * Events are numbered in the order given. The last write of its transaction: from here to the commit it holds up
 * `advanceHorizon`, and with it what webhooks are told. The sort makes the order of the numbers certain, and has the lock taken
 * before the first of them.
 * @param traceparent of the span that this is part of: what deliveries go on from
 */
export async function writeEvents(
  sql: Sql,
  events: readonly StoredEvent[],
  traceparent?: string | undefined,
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    with held as materialized (select ${lockForEvents(sql)})
    insert into events (id, organisation_id, type, at, transaction_id, body, traceparent)
    select id, organisation_id, type, at, transaction_id, body, ${traceparent ?? null}::text
    from ${storedEvents(sql, events)} cross join held
    order by ord`;
}

/**
 * Numbers are given before the commit, so a reader could see one before a lower one. Writers share this lock from before
 * the number to the end of their transaction: who holds it may still bring a number, and who does not, cannot. Nobody
 * takes it alone: while one waited for that, writers would queue behind it.
 */
export function lockForEvents(sql: Sql): Fragment {
  return sql`pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.events}::int, 0)`;
}

/** As a table `told` with the columns of `events`, and `ord`. */
export function storedEvents(sql: Sql, events: readonly StoredEvent[]): Fragment {
  const rows = events.map(({ id, organisationId, type, at, transactionId, body }, ord) => ({
    ord,
    id,
    organisation_id: organisationId,
    type,
    at,
    transaction_id: transactionId,
    body,
  }));
  return sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as told (
    ord int, id uuid, organisation_id uuid, type text, at timestamptz, transaction_id uuid, body text
  )`;
}
