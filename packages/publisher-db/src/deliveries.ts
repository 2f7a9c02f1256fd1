import type { Fragment, Sql } from "#postgres";

/**
 * Inserts deliveries. Their ids are UUIDv7 with the lower bits of `place + part` behind the milliseconds: so
 * deliveries that were made at the same moment are in order too when listed by id.
 * @param rows a table `made` with the columns webhook_id, organisation_id, place, part and event_sequences
 */
export function insertDeliveries(sql: Sql, rows: Fragment): Fragment {
  return sql`
    insert into webhook_deliveries (id, webhook_id, organisation_id, created_at, place, part, event_sequences)
    select
      encode(
        overlay(
          uuid_send(gen_random_uuid())
          placing int8send((${milliseconds(sql, sql`now()`)} << 16) | 28672 | ((made.place + made.part) & 4095))
          from 1 for 8
        ),
        'hex'
      )::uuid,
      made.webhook_id, made.organisation_id, now(), made.place, made.part, made.event_sequences
    from ${rows}`;
}

/** An id below all ids that were made at that time (a timestamptz) or later. */
export function firstIdAt(sql: Sql, time: Fragment): Fragment {
  return sql`
    (lpad(to_hex(${milliseconds(sql, time)}), 12, '0') || '70008000000000000000')::uuid`;
}

/** Whole milliseconds since 1970. */
function milliseconds(sql: Sql, time: Fragment): Fragment {
  return sql`floor(extract(epoch from ${time}) * 1000)::bigint`;
}

/**
 * Whether the queue `q`, a row of `webhook_queues`, has pending deliveries. Needs this row alone, so it is
 * right also for a row that was waited for.
 */
export function hasPending(sql: Sql): Fragment {
  return sql`(q.last_place, q.last_part) > (q.done_place, q.done_part)`;
}

/**
 * The first events that wait for the queue `q` and are in no delivery yet, in order, as a query with the
 * columns sequence and at. Each type is read by itself, so that it reads at most `limit` events of each type,
 * however many of other types lie between. Only settled events are announced, so none comes in between later.
 * @param types those that its webhook wants
 */
export function waitingEvents(
  sql: Sql,
  { types, limit }: { readonly types: Fragment; readonly limit: number },
): Fragment {
  return sql`
    select e.sequence, e.at
    from unnest(${types}) as wanted (type) cross join lateral (
      select sequence, at from events
      where organisation_id = q.organisation_id and type = wanted.type
        and sequence > q.cursor and sequence <= q.announced
      order by sequence
      limit ${limit}
    ) e
    order by e.sequence
    limit ${limit}`;
}

/** Whether `d`, a row of `webhook_deliveries`, is a pending delivery of the queue `q`. */
export function isPending(sql: Sql): Fragment {
  return sql`
    d.webhook_id = q.webhook_id and (d.place, d.part) > (q.done_place, q.done_part) and d.state = 'pending'`;
}
