import { keyOf, type StoredTransaction } from "#domain";
import { constantText, type Sql } from "#postgres";
import { reachableMember, storedTransaction } from "#publisher-db";
import { type EventBatch, keyAt } from "./event-batch.ts";

/** A member that exists. */
export interface FoundMember {
  readonly organisationId: string;
  /** Whether it has or had an enrolment or a clip. */
  readonly linked: boolean;
}

/** What a batch is decided by. */
export interface LoadedForEvents {
  /** By `keyOf`. */
  readonly stored: ReadonlyMap<string, StoredTransaction>;
  /** Where their rows are, by `keyOf`. It holds while they are locked. */
  readonly places: ReadonlyMap<string, string>;
  /** As in `EventBatch.members`; undefined: there is none. */
  readonly members: readonly (FoundMember | undefined)[];
}

interface LoadedRow {
  stored: StoredTransaction[];
  /** Of their rows. */
  tids: string[];
  /** Places in `EventBatch.members`. */
  places: number[];
  organisations: string[];
  linked: boolean[];
}

const LOCKED = constantText("for update of t");
const NOT_LOCKED = constantText("");

/**
 * Reads what is stored of transactions, and the members that are there, in one round trip.
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
  const organisations = keys.map(({ organisationId }) => organisationId);
  const externalIds = keys.map(({ externalId }) => externalId);
  const [row] = await sql<[LoadedRow]>`
    with known as materialized (
      select t.*
      from (
        select * from unnest(${organisations}::uuid[], ${externalIds}::text[]) as key (organisation_id, external_id)
        order by organisation_id, external_id collate "C"
      ) as key
      cross join lateral (
        select t.ctid as tid, t.* from transactions t
        where t.organisation_id = key.organisation_id and t.external_id = key.external_id
        offset 0 ${(mode === "locked" ? LOCKED : NOT_LOCKED)(sql)}
      ) as t
    ),
    found as materialized (
      select wanted.place, m.organisation_id, m.linked
      from unnest(${batch.members}::uuid[]) with ordinality as wanted (id, place)
      cross join lateral (
        select m.organisation_id, m.linked from members m
        where m.id = wanted.id and ${reachableMember(sql)}
        offset 0
      ) as m
    )
    select
      (select coalesce(json_agg(${storedTransaction(sql)}), '[]') from known t) as stored,
      (select coalesce(array_agg(t.tid::text), '{}') from known t) as tids,
      coalesce(array_agg(f.place::int - 1), '{}') as places, coalesce(array_agg(f.organisation_id), '{}') as organisations,
      coalesce(array_agg(f.linked), '{}') as linked
    from found f
  `;
  const members = new Array<FoundMember | undefined>(batch.members.length);
  for (const [i, place] of row.places.entries()) {
    members[place] = { organisationId: row.organisations[i] as string, linked: row.linked[i] as boolean };
  }
  return {
    stored: new Map(row.stored.map((one) => [keyOf(one), one])),
    places: new Map(row.stored.map((one, i) => [keyOf(one), row.tids[i] as string])),
    members,
  };
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
