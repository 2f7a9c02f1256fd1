import { uuidv7 } from "uuidv7";
import { LIMITS } from "#contract";
import { constantText, type Fragment, type Sql } from "#postgres";
import type { Findings, KeptIgnored, KeptRejection } from "./collect-findings.ts";

/**
 * A table of rejected events or ignored fields. It keeps at most `LIMITS.rejectionsPerMinute` per
 * organisation and minute.
 */
interface Ledger {
  readonly table: string;
  /** The column of a minute's row that counts the events. */
  readonly counter: string;
  /** Columns other than organisation, id and `COMMON`, with their types and their keys in the JSON. */
  readonly own: readonly (readonly [column: string, type: string, key: string])[];
}

const COMMON = [
  ["batch_id", "uuid", "b"],
  ["event_index", "int", "i"],
  ["external_id", "text", "e"],
] as const;

const REJECTIONS = prepareLedger({
  table: "transaction_rejections",
  counter: "rejected",
  own: [
    ["member_id", "uuid", "m"],
    ["code", "text", "code"],
    ["reason", "text", "reason"],
    ["field", "text", "field"],
    ["from_state", "text", "from"],
    ["to_state", "text", "to"],
  ],
});
const IGNORED = prepareLedger({
  table: "ignored_fields",
  counter: "counted",
  own: [["fields", "jsonb", "f"]],
});
type PreparedLedger = typeof REJECTIONS;

/** Builds the texts of the two statements. */
function prepareLedger({ table, counter, own }: Ledger) {
  const columns = [...COMMON, ...own];
  const names = columns.map(([column]) => column).join(", ");
  const keys = columns.map(([, , key]) => `"${key}"`).join(", ");
  const types = columns.map(([, type, key]) => `"${key}" ${type}`).join(", ");
  return {
    counted: constantText(`insert into ${table} as minute (organisation_id, id, ${counter})`),
    sum: constantText(`set ${counter} = minute.${counter} + excluded.${counter}
      returning organisation_id, ${counter} as so_far`),
    insert: constantText(`insert into ${table} (organisation_id, id, ${names})`),
    values: constantText(keys),
    record: constantText(`o uuid, p int, t text, ${types}`),
  };
}

/**
 * Stores the rejections and ignored fields of a batch, in its database transaction: they commit with the
 * position of the partition, so that no redelivery loses or doubles one. Send it shortly before the commit,
 * and before the lock of webhook events is taken: a session that waits for a minute's row while it holds that
 * lock would hold up all writers of events.
 *
 * Crash considered: a process freezes before its commit and holds the minute's row. Batches of other
 * partitions that reject events of the same organisation wait for it, until the server ends the idle
 * transaction after 5 s.
 */
export async function keepFindings(sql: Sql, { rejected, ignored }: Findings): Promise<void> {
  // One statement locks the minutes' rows in this order (`keeping`). In the other order, two batches could
  // deadlock.
  await Promise.all([
    keep(sql, IGNORED, ignored.map(fromIgnored)),
    keep(sql, REJECTIONS, rejected.map(fromRejection)),
  ]);
}

async function keep(sql: Sql, ledger: PreparedLedger, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = toRows(entries);
  await sql`
    with minutes as (${counting(sql, ledger, rows)})
    ${ledger.insert(sql)} select ${withRoom(sql, ledger, rows, MINUTES)}`.send();
}

const MINUTES = constantText("minutes");
const REJECTED_MINUTES = constantText("rejected_minutes");
const IGNORED_MINUTES = constantText("ignored_minutes");

/** The same queries for the `with` of a larger statement; each ends with a comma. */
export function keeping(sql: Sql, { rejected, ignored }: Findings): Fragment {
  if (rejected.length + ignored.length === 0) return sql``;
  const [a, b] = [toRows(rejected.map(fromRejection)), toRows(ignored.map(fromIgnored))];
  const kept =
    rejected.length === 0
      ? sql``
      : sql`
    rejected_minutes as (${counting(sql, REJECTIONS, a)}),
    rejections as (${REJECTIONS.insert(sql)} select ${withRoom(sql, REJECTIONS, a, REJECTED_MINUTES)}),`;
  return ignored.length === 0
    ? kept
    : sql`${kept}
    ignored_minutes as (${counting(sql, IGNORED, b)}),
    ignored as (${IGNORED.insert(sql)} select ${withRoom(sql, IGNORED, b, IGNORED_MINUTES)}),`;
}

/**
 * Adds the number of each organisation's events to the row of the minute. The row's lock, which lasts until
 * the commit, says how many of them still have room: two batches never both get the last place. Like every
 * UUIDv7, the ids begin with milliseconds, here by the database's clock (decision 19).
 */
function counting(sql: Sql, ledger: PreparedLedger, { organisations, counts }: Rows): Fragment {
  return sql`
    ${ledger.counted(sql)}
    select organisation,
           (lpad(to_hex(floor(extract(epoch from date_trunc('minute', now())) * 1000)::bigint), 12, '0')
             || '-7000-8000-000000000000')::uuid,
           count
    from unnest(${organisations}::uuid[], ${counts}::int[]) as own (organisation, count)
    on conflict (organisation_id, id) do update ${ledger.sum(sql)}`;
}

/** The expression after `select`: the events for which the minute's row has room. */
function withRoom(
  sql: Sql,
  ledger: PreparedLedger,
  { rows }: Rows,
  minutes: ReturnType<typeof constantText>,
): Fragment {
  return sql`
    o, (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0') || t)::uuid, ${ledger.values(sql)}
    from json_to_recordset(${rows}::text::json) as r (${ledger.record(sql)})
    join ${minutes(sql)} on organisation_id = o
    where so_far + p <= ${LIMITS.rejectionsPerMinute}`;
}

/** The stored fields of one event, with one-letter keys; null fields are absent. */
interface Entry {
  readonly organisationId: string;
  readonly row: object;
}

function fromRejection({ rejection, memberId, ...kept }: KeptRejection): Entry {
  return {
    organisationId: kept.organisationId,
    row: { ...common(kept), m: memberId ?? undefined, ...rejection },
  };
}

function fromIgnored({ fields, ...kept }: KeptIgnored): Entry {
  return { organisationId: kept.organisationId, row: { ...common(kept), f: fields } };
}

function common({ batchId, index, externalId }: Pick<KeptIgnored, "batchId" | "index" | "externalId">) {
  return { b: batchId ?? undefined, i: index ?? undefined, e: externalId };
}

/** Rows as JSON, and the number of events of each organisation. */
interface Rows {
  readonly organisations: readonly string[];
  readonly counts: readonly number[];
  readonly rows: string;
}

/**
 * Events that certainly have no room are only counted. `p` is the event's place among those of its
 * organisation, counted from the last one: the count in the minute's row, which includes these events, minus
 * `p` is its place in the minute.
 *
 * The organisations are in one order, so that two batches never deadlock on their rows.
 */
function toRows(entries: readonly Entry[]): Rows {
  const totals = new Map<string, number>();
  for (const { organisationId } of entries) {
    totals.set(organisationId, (totals.get(organisationId) ?? 0) + 1);
  }
  const seen = new Map<string, number>();
  const rows: object[] = [];
  for (const { organisationId, row } of entries) {
    const nth = (seen.get(organisationId) ?? 0) + 1;
    if (nth > LIMITS.rejectionsPerMinute) continue;
    seen.set(organisationId, nth);
    const p = nth - (totals.get(organisationId) as number);
    rows.push({ o: organisationId, p, t: tailOf(nth), ...row });
  }
  const organisations = [...totals.keys()].sort();
  const counts = organisations.map((organisation) => totals.get(organisation) as number);
  return { organisations, counts, rows: JSON.stringify(rows) };
}

/**
 * The part of a UUIDv7 after the time: the version, the place among the ids of one statement (12 bits, which
 * keep their order), and 62 random bits. Place 0 belongs to the minute's row.
 */
function tailOf(nth: number): string {
  return `-7${nth.toString(16).padStart(3, "0")}-${uuidv7().slice(19)}`;
}
