import { type Half, PAIRING_WINDOW_MICROSECONDS } from "#domain/platform";
import type { Fragment, Sql } from "#postgres";
import { joinIdentifiers, timestampOf } from "./record-rows.ts";

/** Which of the two kinds of halves looks for the other. */
export type Side = "records" | "payments";

/** Halves that may belong together, and perhaps some that do not: keys are only 64 bits of a hash. */
export interface Candidates {
  readonly records: readonly string[];
  readonly payments: readonly string[];
}

/**
 * How many halves of a key are looked at, before and after the time of the half that seeks. Somebody may send hundreds of
 * thousands of halves under one key; the index gives the nearest ones without reading the others. Nothing is lost by this:
 * the nearest half is among them, and a call that finds all of them taken looks again (`pairHalves`).
 */
export const NEAREST_PER_KEY = 8;

/**
 * Those of the given halves that are stored and open and have open halves of the other kind under one of their keys, at most
 * 30 days apart; and these others. Nothing is locked.
 */
export function findPartners(sql: Sql, side: Side, ids: readonly string[]): Promise<Candidates> {
  const seekers =
    side === "records"
      ? sql`(
        select transaction_id as id, authed_at as at, retailer_id, identifiers
        from platform.records where transaction_id = any(${ids}::uuid[]) and is_open
      )`
      : sql`(
        select id, paid_at as at, retailer_id, identifiers
        from platform.payments where id = any(${ids}::uuid[]) and is_open
      )`;
  return findNear(sql, side, seekers);
}

/** The same for halves as they are given, whether they are stored or not. */
export function findPartnersOfGiven(sql: Sql, side: Side, halves: readonly Half[]): Promise<Candidates> {
  const input = JSON.stringify(
    halves.map(({ id, retailerId, identifiers, at }) => ({
      id,
      retailer_id: retailerId,
      at,
      identifiers: joinIdentifiers(identifiers),
    })),
  );
  const seekers = sql`(
    select id, ${timestampOf(sql, "at")} as at, retailer_id, identifiers
    from json_to_recordset(${input}::text::json) as input (
      id uuid, retailer_id uuid, at bigint, identifiers bytea
    )
  )`;
  return findNear(sql, side, seekers);
}

async function findNear(sql: Sql, side: Side, seekers: Fragment): Promise<Candidates> {
  const others =
    side === "records"
      ? sql`select key, paid_at as at, payment_id as id from platform.open_payments`
      : sql`select key, authed_at as at, transaction_id as id from platform.open_records`;
  const reach = sql`${PAIRING_WINDOW_MICROSECONDS} * interval '1 microsecond'`;
  // Materialised, since each key is a hash, and would otherwise be computed again for each look-up.
  const [found] = await sql<[{ seekers: string[]; partners: string[] }]>`
    with seeker as materialized (
      select half.id, half.at, k.key
      from ${seekers} as half
      cross join lateral platform.half_keys(half.retailer_id, half.identifiers) as k (key)
    )
    select
      coalesce(array_agg(distinct seeker.id), '{}') as seekers,
      coalesce(array_agg(distinct near.id), '{}') as partners
    from seeker
    cross join lateral (
      (
        select other.id from (${others}) as other
        where other.key = seeker.key and other.at between seeker.at - ${reach} and seeker.at
        order by other.at desc
        limit ${NEAREST_PER_KEY}
      )
      union all
      (
        select other.id from (${others}) as other
        where other.key = seeker.key and other.at > seeker.at and other.at <= seeker.at + ${reach}
        order by other.at
        limit ${NEAREST_PER_KEY}
      )
    ) as near`;
  return side === "records"
    ? { records: found.seekers, payments: found.partners }
    : { records: found.partners, payments: found.seekers };
}
