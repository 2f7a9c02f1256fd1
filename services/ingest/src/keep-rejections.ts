import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import type { EventOutcome, Rejection } from "#domain";
import { constantText, type Fragment, type Sql } from "#postgres";
import type { PreparedBatch } from "./prepare-batch.ts";
import { eventAt } from "./transactions/event-batch.ts";

/** A rejected event as it is kept. */
export interface KeptRejection {
  readonly organisationId: string;
  readonly externalId: string;
  /** As the event named it, whether there is such a member or not; null: not one of our ids. */
  readonly memberId: string | null;
  /** The request, and the event's place in it; null: put back from the dead letters, and of none. */
  readonly batchId: string | null;
  readonly index: number | null;
  readonly rejection: Rejection;
}

/** What a batch rejected, in its order. As a rule nothing: then this is one look at each outcome. */
export function collectRejections(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
): KeptRejection[] {
  return outcomes.some((outcome) => outcome?.kind === "rejected")
    ? [...rejectionsOf(prepared, outcomes)]
    : [];
}

function* rejectionsOf(
  prepared: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
): Generator<KeptRejection> {
  let ord = 0;
  for (const head of prepared.heads) {
    if (head === undefined) continue;
    const end = ord + head.events;
    for (const { batch, events } of head.parts) {
      for (const last = ord + events; ord < last; ord++) yield* rejectionAt(prepared, outcomes, ord, batch);
    }
    for (; ord < end; ord++) yield* rejectionAt(prepared, outcomes, ord, null);
  }
}

function* rejectionAt(
  { events, indexes }: PreparedBatch,
  outcomes: readonly (EventOutcome | undefined)[],
  ord: number,
  batchId: string | null,
): Generator<KeptRejection> {
  const outcome = outcomes[ord];
  if (outcome?.kind !== "rejected") return;
  const { organisationId, externalId, memberId } = eventAt(events, ord);
  const index = batchId === null ? null : (indexes[ord] as number);
  yield { organisationId, externalId, memberId, batchId, index, rejection: outcome.rejection };
}

/**
 * Keeps what a batch rejected, in its database transaction: it is committed with the position of its partition, so that no
 * redelivery comes to lose or double it. To be sent shortly before the commit, and before the lock of webhook events is
 * taken: whoever waits for a minute's row would hold up all writers of events.
 *
 * The crash thought of: a process that is frozen before its commit holds the minute's row. Batches of other partitions that
 * reject events of the same organisation wait for it until the server ends its transaction, which is idle, after 5 s.
 */
export async function keepRejections(sql: Sql, rejections: readonly KeptRejection[]): Promise<void> {
  if (rejections.length === 0) return;
  const rows = toRows(rejections);
  await sql`
    with minutes as (${counting(sql, rows)})
    insert into transaction_rejections (${NAMES(sql)}) select ${withRoom(sql, rows)}`.send();
}

/** The same as queries of a `with`, for a statement that does more. @param rejections at least one */
export function keeping(sql: Sql, rejections: readonly KeptRejection[]): Fragment {
  const rows = toRows(rejections);
  return sql`
    minutes as (${counting(sql, rows)}),
    kept as (insert into transaction_rejections (${NAMES(sql)}) select ${withRoom(sql, rows)})`;
}

const NAMES = constantText(
  "organisation_id, id, batch_id, member_id, event_index, external_id, code, reason, field, from_state, to_state",
);

/**
 * Counts each organisation's in the row of the minute. Its lock, which is held until the commit, says which of them still
 * have room: no two batches both see the last place. Ids begin with milliseconds, as every UUIDv7, by the database's clock
 * (decision 19).
 */
function counting(sql: Sql, { organisations, counts }: Rows): Fragment {
  return sql`
    insert into transaction_rejections as minute (organisation_id, id, rejected)
    select organisation,
           (lpad(to_hex(floor(extract(epoch from date_trunc('minute', now())) * 1000)::bigint), 12, '0')
             || '-7000-8000-000000000000')::uuid,
           count
    from unnest(${organisations}::uuid[], ${counts}::int[]) as own (organisation, count)
    on conflict (organisation_id, id) do update set rejected = minute.rejected + excluded.rejected
    returning organisation_id, rejected as so_far`;
}

/** What stands behind `select`: those that the minute's row has room for. */
function withRoom(sql: Sql, { rows }: Rows): Fragment {
  return sql`
    o, (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0') || t)::uuid, b, m, i, e, code,
    reason, field, "from", "to"
    from json_to_recordset(${rows}::text::json) as r (
      o uuid, p int, t text, b uuid, m uuid, i int, e text, code text, reason text, field text, "from" text, "to" text
    )
    join minutes on organisation_id = o
    where so_far + p <= ${LIMITS.rejectionsPerMinute}`;
}

/** Rows as JSON, with one-letter keys and absent where null, and how many there are of each organisation. */
interface Rows {
  readonly organisations: readonly string[];
  readonly counts: readonly number[];
  readonly rows: string;
}

/**
 * What certainly has no room is only counted. `p` is a place among the organisation's, counted from its last: what the
 * minute's row has with them and this are the place in the minute.
 *
 * The organisations are in one order, so that no two batches wait for each other's rows.
 */
function toRows(rejections: readonly KeptRejection[]): Rows {
  const totals = new Map<string, number>();
  for (const { organisationId } of rejections) {
    totals.set(organisationId, (totals.get(organisationId) ?? 0) + 1);
  }
  const seen = new Map<string, number>();
  const rows: object[] = [];
  for (const { organisationId, externalId, memberId, batchId, index, rejection } of rejections) {
    const nth = (seen.get(organisationId) ?? 0) + 1;
    if (nth > LIMITS.rejectionsPerMinute) continue;
    seen.set(organisationId, nth);
    const p = nth - (totals.get(organisationId) as number);
    const ids = { o: organisationId, p, t: tailOf(nth), b: batchId ?? undefined, m: memberId ?? undefined };
    rows.push({ ...ids, i: index ?? undefined, e: externalId, ...rejection });
  }
  const organisations = [...totals.keys()].sort();
  const counts = organisations.map((organisation) => totals.get(organisation) as number);
  return { organisations, counts, rows: JSON.stringify(rows) };
}

/**
 * What follows the time in a UUIDv7: the version, the place among those of one statement (12 bits, which keep their order),
 * and 62 random bits. Place 0 is that of a minute's row.
 */
function tailOf(nth: number): string {
  return `-7${nth.toString(16).padStart(3, "0")}-${uuidv7().slice(19)}`;
}
