import { keyOf, type StoredTransaction } from "#domain";
import type { Sql } from "#postgres";
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
  /** As in `EventBatch.members`; undefined: there is none. */
  readonly members: readonly (FoundMember | undefined)[];
}

interface LoadedRow {
  stored: StoredTransaction[];
  /** Places in `EventBatch.members`. */
  places: number[];
  organisations: string[];
  linked: boolean[];
}

/**
 * Reads what is stored of transactions, and the members that are there, in one round trip. The transactions are locked until
 * the transaction ends, in the order of their keys.
 * @param ords events whose keys are looked up
 */
export async function loadForEvents(
  sql: Sql,
  batch: EventBatch,
  ords: readonly number[],
): Promise<LoadedForEvents> {
  const keys = ords.map((ord) => keyAt(batch, ord));
  const organisations = keys.map(({ organisationId }) => organisationId);
  const externalIds = keys.map(({ externalId }) => externalId);
  const [row] = await sql<[LoadedRow]>`
    with known as materialized (
      select t.*
      from unnest(${organisations}::uuid[], ${externalIds}::text[]) as key (organisation_id, external_id)
      join transactions t on t.organisation_id = key.organisation_id and t.external_id = key.external_id
      order by t.organisation_id, t.external_id
      for update of t
    ),
    found as materialized (
      select wanted.place, m.organisation_id, m.linked
      from unnest(${batch.members}::uuid[]) with ordinality as wanted (id, place)
      join members m on m.id = wanted.id and ${reachableMember(sql)}
    )
    select
      (select coalesce(json_agg(${storedTransaction(sql)}), '[]') from known t) as stored,
      coalesce(array_agg(f.place::int - 1), '{}') as places, coalesce(array_agg(f.organisation_id), '{}') as organisations,
      coalesce(array_agg(f.linked), '{}') as linked
    from found f
  `;
  const members = new Array<FoundMember | undefined>(batch.members.length);
  for (const [i, place] of row.places.entries()) {
    members[place] = { organisationId: row.organisations[i] as string, linked: row.linked[i] as boolean };
  }
  return { stored: new Map(row.stored.map((one) => [keyOf(one), one])), members };
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
