import { TRANSACTION_COLUMNS } from "#contract/codec";
import { keyOf, type StoredTransaction } from "#domain";
import { constantText, type Sql } from "#postgres";
import { reachableMember, type StoredRow, storedColumns, toStored } from "#publisher-db";
import { type EventBatch, keyAt } from "./event-batch.ts";

/** What a batch is decided by. */
export interface LoadedForEvents {
  /** By `keyOf`. */
  readonly stored: ReadonlyMap<string, StoredTransaction>;
  /** Where their rows are, by `keyOf`. It holds while they are locked. */
  readonly places: ReadonlyMap<string, string>;
  /** Of `EventBatch.members`, those that are not there … */
  readonly missing: ReadonlySet<number>;
  /** … and those that have or had an enrolment or a clip. */
  readonly linked: ReadonlySet<number>;
}

interface Exceptions {
  readonly missing: readonly number[];
  readonly linked: readonly number[];
}

/** One row for each transaction, and one of the members. */
type LoadedRow = (StoredRow & { readonly tid: string }) | (Exceptions & { readonly id: null });

const NO_COLUMNS = constantText(TRANSACTION_COLUMNS.map(() => "null").join(", "));

const LOCKED = constantText("for update of t");
const NOT_LOCKED = constantText("");

/**
 * Reads what is stored of transactions, and which members are not there, in one round trip. Of members only the exceptions
 * come back, and transactions as plain rows: the server wrote arrays of all members and JSON for twice the CPU.
 *
 * `offset 0` keeps each look-up one by the primary key. As joins they would be planned once, and one that is planned while
 * the tables are new reads them from end to end, batch after batch, until they are analysed.
 * @param ords events whose keys are looked up
 * @param mode locked: until the database transaction ends, in the order of their keys
 */
export async function loadForEvents(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
  mode: "locked" | "looked at",
): Promise<LoadedForEvents> {
  const keys = ords.map((ord) => keyAt(batch, ord));
  const { organisations, members, organisationOfMember } = batch;
  const rows = await sql<LoadedRow[]>`
    with known as materialized (
      select t.*
      from (
        select * from unnest(
          ${keys.map(({ organisationId }) => organisationId)}::uuid[], ${keys.map(({ externalId }) => externalId)}::text[]
        ) as key (organisation_id, external_id)
        order by organisation_id, external_id collate "C"
      ) as key
      cross join lateral (
        select t.ctid as tid, t.* from transactions t
        where t.organisation_id = key.organisation_id and t.external_id = key.external_id
        offset 0 ${(mode === "locked" ? LOCKED : NOT_LOCKED)(sql)}
      ) as t
    ),
    wanted as (
      select array_agg(place::int - 1) filter (where m.id is null) as missing,
             array_agg(place::int - 1) filter (where m.linked) as linked
      from unnest(${members}::uuid[], ${organisationOfMember}::int[]) with ordinality as wanted (id, organisation, place)
      left join lateral (
        select m.id, m.linked from members m
        where m.id = wanted.id and m.organisation_id = (${organisations}::uuid[])[wanted.organisation + 1]
          and ${reachableMember(sql)}
        offset 0
      ) as m on true
    )
    select null::int[] as missing, null::int[] as linked, t.tid::text as tid, ${storedColumns(sql)} from known t
    union all
    select coalesce(missing, '{}'), coalesce(linked, '{}'), null, ${NO_COLUMNS(sql)} from wanted
  `;
  const stored = new Map<string, StoredTransaction>();
  const places = new Map<string, string>();
  let exceptions: Exceptions | undefined;
  for (const row of rows) {
    if (row.id === null) {
      exceptions = row;
      continue;
    }
    const key = keyOf(row);
    stored.set(key, toStored(row));
    places.set(key, row.tid);
  }
  if (exceptions === undefined) throw new Error("nothing was said of the members of a batch");
  return { stored, places, missing: new Set(exceptions.missing), linked: new Set(exceptions.linked) };
}

/** The highest key that each of these organisations has stored, in the order of bytes; null: none. */
export async function findHighestKeys(
  sql: Sql,
  organisations: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await sql<{ organisation: string; highest: string | null }[]>`
    select wanted.id as organisation,
           (select max(t.external_id) from transactions t where t.organisation_id = wanted.id) as highest
    from unnest(${organisations}::uuid[]) as wanted (id)`;
  return new Map(rows.map(({ organisation, highest }) => [organisation, highest]));
}
