import { textAt } from "#contract/codec";
import { keyOf, type StoredTransaction } from "#domain";
import type { Sql } from "#postgres";
import { reachableMember, storedTransaction } from "#publisher-db";
import type { EventBatch } from "./event-batch.ts";

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
  /** By UUID. */
  readonly members: ReadonlyMap<string, FoundMember>;
}

interface LoadedRow {
  stored: StoredTransaction[];
  ids: string[];
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
  const organisations = ords.map((ord) => batch.organisations[batch.organisationOf[ord] as number] as string);
  const externalIds = ords.map((ord) => textAt(batch.externalIds, ord));
  const [row] = await sql<[LoadedRow]>`
    with known as materialized (
      select t.*
      from unnest(${organisations}::uuid[], ${externalIds}::text[]) as key (organisation_id, external_id)
      join transactions t on t.organisation_id = key.organisation_id and t.external_id = key.external_id
      order by t.organisation_id, t.external_id
      for update of t
    ),
    found as materialized (
      select m.id, m.organisation_id, m.linked
      from unnest(${batch.members}::uuid[]) as wanted (id)
      join members m on m.id = wanted.id and ${reachableMember(sql)}
    )
    select
      (select coalesce(json_agg(${storedTransaction(sql)}), '[]') from known t) as stored,
      coalesce(array_agg(f.id), '{}') as ids, coalesce(array_agg(f.organisation_id), '{}') as organisations,
      coalesce(array_agg(f.linked), '{}') as linked
    from found f
  `;
  const members = new Map<string, FoundMember>();
  for (const [i, id] of row.ids.entries()) {
    members.set(id, {
      organisationId: row.organisations[i] as string,
      linked: row.linked[i] as boolean,
    });
  }
  return { stored: new Map(row.stored.map((one) => [keyOf(one), one])), members };
}
