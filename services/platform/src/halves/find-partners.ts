import { PAIRING_WINDOW_MICROSECONDS } from "#domain";
import type { Sql } from "#postgres";

/** Which halves look for the others. */
export type Side = "records" | "payments";

/** Open halves that may belong together, and perhaps some that do not: keys are only 64 bits of a hash. */
export interface Candidates {
  readonly records: readonly string[];
  readonly payments: readonly string[];
}

/**
 * How many halves of a key are looked at, before and after the time of the one that seeks. Somebody may send hundreds of
 * thousands of halves under one key; the index gives the nearest of them without the others. Nothing is lost by it: the
 * nearest pair is among them, and who finds all of them taken looks again (`pairHalves`).
 */
export const NEAREST_PER_KEY = 8;

/**
 * Of the given halves those that are open and have open ones of the other side under one of their keys, at most 30 days
 * apart; and these. Nothing is locked.
 */
export async function findPartners(sql: Sql, side: Side, ids: readonly string[]): Promise<Candidates> {
  const halves =
    side === "records"
      ? sql`select transaction_id as id, authed_at as at, retailer_id, identifiers, is_open from platform.records`
      : sql`select id, paid_at as at, retailer_id, identifiers, is_open from platform.payments`;
  const others =
    side === "records"
      ? sql`select key, paid_at as at, payment_id as id from platform.open_payments`
      : sql`select key, authed_at as at, transaction_id as id from platform.open_records`;
  const reach = sql`${PAIRING_WINDOW_MICROSECONDS} * interval '1 microsecond'`;
  // Materialised: each key is a hash, and would be made anew for each look.
  const [found] = await sql<[{ seekers: string[]; partners: string[] }]>`
    with seeker as materialized (
      select half.id, half.at, k.key
      from (${halves}) as half
      cross join lateral platform.half_keys(half.retailer_id, half.identifiers) as k (key)
      where half.id = any(${ids}::uuid[]) and half.is_open
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
