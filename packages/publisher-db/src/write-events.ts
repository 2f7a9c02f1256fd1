import { ADVISORY_LOCKS, type Fragment, type Sql } from "#postgres";
import { NO_MEMBER, withMember } from "./event-member.ts";

/** A stored event, for delivery. */
export interface StoredEvent {
  readonly id: string;
  readonly organisationId: string;
  readonly type: string;
  /** Normalised UTC text with microseconds. */
  readonly at: string;
  /** Null if the event is about a transaction that is not stored. */
  readonly transactionId: string | null;
  /** The member, who is added to the body. undefined: nothing is added. */
  readonly memberId?: string | null | undefined;
  /** The JSON of a `WebhookEvent`, without the member. */
  readonly body: string;
}

/**
 * Writes events and numbers them in the given order. It must be the last write of its transaction, because from here to the commit it
 * holds up `advanceHorizon`, and with it all deliveries. The sort guarantees the order of the numbers, and that the lock is taken
 * before the first number. A stored event stays unchanged: its id is computed from its fact, which comes again after a restore.
 * @param traceparent of the surrounding span; deliveries continue its trace
 */
export async function writeEvents(
  sql: Sql,
  events: readonly StoredEvent[],
  traceparent?: string | undefined,
): Promise<void> {
  if (events.length === 0) return;
  await sql`
    with held as materialized (select ${lockForEvents(sql)})
    insert into events (id, organisation_id, type, at, transaction_id, member_id, body, traceparent)
    select id, organisation_id, type, at, transaction_id, member_id, body, ${traceparent ?? null}::text
    from ${storedEvents(sql, events)} cross join held
    order by ord
    on conflict do nothing`.send();
}

/**
 * Numbers are drawn before the commit, so a reader could see a number before a lower one. Writers share this lock from before they draw
 * a number to the end of their transaction: only a holder may still commit a number. No session takes the lock exclusively: writers
 * would queue behind it.
 */
export function lockForEvents(sql: Sql): Fragment {
  return sql`pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.events}::int, 0)`;
}

function storedBody({ memberId, body }: StoredEvent): string {
  if (memberId === undefined) return body;
  return body.slice(0, -1) + (memberId === null ? `${NO_MEMBER}}` : withMember(memberId));
}

/** Events as a table `told` with the columns of `events`, and `ord`. */
export function storedEvents(sql: Sql, events: readonly StoredEvent[]): Fragment {
  const rows = events.map((event, ord) => ({
    ord,
    id: event.id,
    organisation_id: event.organisationId,
    type: event.type,
    at: event.at,
    transaction_id: event.transactionId,
    member_id: event.memberId ?? null,
    body: storedBody(event),
  }));
  return sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as told (
    ord int, id uuid, organisation_id uuid, type text, at timestamptz, transaction_id uuid, member_id uuid, body text
  )`;
}
