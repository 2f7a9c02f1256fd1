import { constantText, type Fragment, type Sql } from "#postgres";
import { milliseconds } from "./first-id-at.ts";
import { toldBody } from "./told-body.ts";

/**
 * Inserts deliveries. Their ids are UUIDv7 with the lower bits of `place + part` behind the milliseconds: so
 * deliveries that were made at the same moment are in order too when listed by id.
 * @param rows a table `made` with the columns webhook_id, organisation_id, place, part, split_from and event_sequences
 */
export function insertDeliveries(sql: Sql, rows: Fragment): Fragment {
  return sql`
    insert into webhook_deliveries (
      id, webhook_id, organisation_id, created_at, place, part, split_from, event_sequences
    )
    select ${orderedId(sql, {
      bits: sql`uuid_send(gen_random_uuid())`,
      at: sql`now()`,
      order: sql`made.place + made.part`,
    })},
      made.webhook_id, made.organisation_id, now(), made.place, made.part, made.split_from,
      made.event_sequences
    from ${rows}`;
}

/**
 * The id of a delivery that is sent before it has a row: a process that makes it again uses the same id. It is computed from the
 * delivery's place and events, so that a receiver that remembers ids never takes other events for these.
 */
export function derivedId(
  sql: Sql,
  { webhookId, place, sequences, at }: Record<"webhookId" | "place" | "sequences" | "at", Fragment>,
): Fragment {
  const hash = sql`sha256((${webhookId}::text || ' ' || ${place}::text || ' ' || ${sequences}::text)::bytea)`;
  // The two bits of a UUID's variant.
  const bits = sql`set_byte(substr(${hash}, 1, 16), 8, get_byte(${hash}, 8) & 63 | 128)`;
  return orderedId(sql, { bits, at, order: place });
}

/** A UUIDv7 of these 16 bytes; time and order replace the first 8. */
function orderedId(sql: Sql, { bits, at, order }: Record<"bits" | "at" | "order", Fragment>): Fragment {
  return sql`
    encode(
      overlay(${bits} placing int8send((${milliseconds(sql, at)} << 16) | 28672 | ((${order}) & 4095)) from 1 for 8),
      'hex'
    )::uuid`;
}

/**
 * Whether the queue `q`, a row of `webhook_queues`, has pending deliveries, including those without a row
 * yet. It reads only this row, so it is also right after a wait for the row.
 */
export function hasPending(sql: Sql): Fragment {
  return sql`(q.last_place, q.last_part) > (q.done_place, q.done_part)`;
}

/**
 * Ends the wait of a webhook's first pending delivery, which starts its schedule over. No other delivery waits or has failed: each is
 * attempted when those before it are settled. So this touches one row, however many are pending. The caller has locked the queue in
 * this transaction.
 * @param refusals `forgotten` if the address that refused it is no longer the webhook's
 * @returns whether it waited
 */
export async function forwardFirst(
  sql: Sql,
  webhookId: string,
  refusals: "kept" | "forgotten",
): Promise<boolean> {
  const forgets = refusals === "forgotten";
  const [{ waited }] = await sql<[{ waited: boolean }]>`
    with first as materialized (
      select d.id, d.failures, d.refusals, d.next_attempt_at from webhook_queues q cross join lateral (
        select d.id, d.failures, d.refusals, d.next_attempt_at from webhook_deliveries d
        where ${isPending(sql)}
        order by d.place, d.part
        limit 1
      ) d
      where q.webhook_id = ${webhookId}
    ),
    forward as (
      update webhook_deliveries
      set next_attempt_at = null, failures = 0, refusals = case when ${forgets}::boolean then 0 else refusals end
      where id = (select id from first where failures > 0 or ${forgets}::boolean and refusals > 0)
    )
    select exists (select from first where failures > 0 and next_attempt_at > now()) as waited`;
  return waited;
}

/**
 * The first events that wait for the queue `q`, in order: neither delivered nor in a delivery that has a row. A query with the columns
 * sequence, at, body and traceparent. Each type is read by itself, so it reads at most `limit` events of each type, however many of
 * other types lie between. Only settled events are announced, so none comes in between later.
 * @param types the types that its webhook wants
 */
export function waitingEvents(
  sql: Sql,
  { types, limit }: { readonly types: Fragment; readonly limit: number },
): Fragment {
  // In the text, not a parameter: for an unknown limit the planner expects a tenth of all rows, and sorts them.
  const most = constantText(String(limit))(sql);
  return sql`
    select e.sequence, e.at, ${toldBody(sql)} as body, e.traceparent
    from unnest(${types}) as wanted (type) cross join lateral (
      select e.sequence, e.at, e.member_id, e.body, e.traceparent from events e
      where ${eventsBetween(sql, {
        organisationId: sql`q.organisation_id`,
        type: sql`wanted.type`,
        after: sql`q.cursor`,
        upto: sql`q.announced`,
      })}
      limit ${most}
    ) e
    order by e.sequence
    limit ${most}`;
}

interface EventRange {
  readonly organisationId: Fragment;
  readonly type: Fragment;
  readonly after: Fragment;
  readonly upto: Fragment;
}

/**
 * The condition and the order of a query on events `e` of one type with numbers above `after` and up to `upto`; it needs a
 * limit.
 *
 * Type and number are compared as a row, and ordered by both: only the index on organisation, type and number gives this order. The
 * planner cannot know how many events lie between two numbers; with an index on numbers alone it walked through the events of all
 * organisations when it expected few. The organisation stands outside the row: inside it, a planner without statistics expected a
 * thousandth of the table from any index with an organisation, and read all its events. The values must be columns of other rows:
 * then the plan is the same for all values.
 */
export function eventsBetween(sql: Sql, { organisationId, type, after, upto }: EventRange): Fragment {
  return sql`
    e.organisation_id = ${organisationId}
      and (e.type, e.sequence) > (${type}, ${after}) and (e.type, e.sequence) <= (${type}, ${upto})
    order by e.type, e.sequence`;
}

/** Whether `d`, a row of `webhook_deliveries`, is a pending delivery of the queue `q`. */
export function isPending(sql: Sql): Fragment {
  return sql`
    d.webhook_id = q.webhook_id and (d.place, d.part) > (q.done_place, q.done_part) and d.state = 'pending'`;
}
