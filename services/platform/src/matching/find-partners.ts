import type { Fragment, Sql } from "#postgres";
import { type Half, PAIRING_WINDOW_MICROSECONDS } from "../rules/pair-by-nearest-time.ts";
import { joinIdentifiers, timestampOf } from "./record-rows.ts";

/** The kind of the halves that look for the other kind. */
export type Side = "records" | "payments";

/** Halves that may belong together, and perhaps some that do not: keys are only 64 bits of a hash. */
export interface Candidates {
  readonly records: readonly string[];
  readonly payments: readonly string[];
}

/**
 * The most matching halves to check under a key, before and after the time of the seeking half. A caller may
 * send hundreds of thousands of halves under one key; the index gives the nearest ones without reading the
 * others. Nothing is lost: the nearest half is among them, and a call that finds all of them taken looks
 * again (`pairHalves`).
 */
export const NEAREST_PER_KEY = 8;

/**
 * The most halves to read for that, before and after: halves of other cards that share six digits have the
 * same key and do not match. They hide no half of both lengths, which has a key that no other card has, and
 * no half of one length, which has keys of its own (`lone_keys`): a search that has read this many looks
 * there too. Only halves from before these keys can be hidden.
 */
const READ_PER_KEY = 1000;

/**
 * The halves that a call reads in all under one kind of key. A half that does not match costs some 5 µs, so a
 * statement ends well within a second, even if all have one key.
 */
const READ_PER_CALL = 20_000;

/**
 * The given halves that are stored and open and have open halves of the other kind under one of their keys,
 * at most 30 days apart; and these partners. Takes no locks.
 */
export function findPartners(sql: Sql, side: Side, ids: readonly string[]): Promise<Candidates> {
  const seekers =
    side === "records"
      ? sql`(
        select transaction_id as id, authed_at as at, retailer_id, identifiers
        from platform.records where transaction_id = any(${ids}::uuid[]) and is_open
      )`
      : sql`(
        select id, paid_at as at, retailer_id, identifiers, bin_digits
        from platform.payments where id = any(${ids}::uuid[]) and is_open
      )`;
  return findNear(sql, side, seekers, ids.length);
}

/**
 * The same for reverted records, by their stored rows: the payment that a record gave back was paired by the retailer and the
 * identifiers of its row, not by those of the reversal.
 */
export function findPartnersOfReverted(sql: Sql, transactionIds: readonly string[]): Promise<Candidates> {
  const seekers = sql`(
    select transaction_id as id, authed_at as at, retailer_id, identifiers
    from platform.records where transaction_id = any(${transactionIds}::uuid[]) and state = 'reverted'
  )`;
  return findNear(sql, "records", seekers, transactionIds.length);
}

/** The same for given payments, whether they are stored or not. */
export function findPartnersOfGiven(sql: Sql, payments: readonly Half[]): Promise<Candidates> {
  const input = JSON.stringify(
    payments.map(({ id, retailerId, identifiers, binDigits, at }) => ({
      id,
      retailer_id: retailerId,
      at,
      identifiers: joinIdentifiers(identifiers),
      bin_digits: binDigits ?? null,
    })),
  );
  const seekers = sql`(
    select id, ${timestampOf(sql, "at")} as at, retailer_id, identifiers, bin_digits
    from json_to_recordset(${input}::text::json) as input (
      id uuid, retailer_id uuid, at bigint, identifiers bytea, bin_digits text
    )
  )`;
  return findNear(sql, "payments", seekers, payments.length);
}

/** @param count the most seeking halves */
async function findNear(sql: Sql, side: Side, seekers: Fragment, count: number): Promise<Candidates> {
  const share = Math.floor(READ_PER_CALL / Math.max(count, 1));
  const readPerKey = Math.max(NEAREST_PER_KEY, Math.min(READ_PER_KEY, share));
  const near = await lookUnder(sql, side, { seekers, keys: sql`platform.half_keys`, readPerKey });
  if (near.cut.length === 0) return near;
  const those = sql`(select * from ${seekers} as half where half.id = any(${near.cut}::uuid[]))`;
  const keys = sql`platform.lone_keys`;
  const lone = await lookUnder(sql, side, { seekers: those, keys, readPerKey: NEAREST_PER_KEY });
  return {
    records: [...new Set([...near.records, ...lone.records])],
    payments: [...new Set([...near.payments, ...lone.payments])],
  };
}

interface Look {
  readonly seekers: Fragment;
  /** The function that gives the keys to look under. */
  readonly keys: Fragment;
  readonly readPerKey: number;
}

/** @returns cut: the seekers that have read their limit under a key */
async function lookUnder(
  sql: Sql,
  side: Side,
  { seekers, keys, readPerKey }: Look,
): Promise<Candidates & { readonly cut: readonly string[] }> {
  const others =
    side === "records"
      ? sql`select key, paid_at as at, payment_id as id from platform.open_payments`
      : sql`select key, authed_at as at, transaction_id as id from platform.open_records`;
  const reach = sql`${PAIRING_WINDOW_MICROSECONDS} * interval '1 microsecond'`;
  // Materialised, because each key is a hash, which would be computed again for each look-up.
  const [found] = await sql<[{ seekers: string[]; partners: string[]; cut: string[] }]>`
    with seeker as materialized (
      select half.*, k.key
      from ${seekers} as half
      cross join lateral ${keys}(half.retailer_id, half.identifiers) as k (key)
    )
    select
      coalesce(array_agg(distinct seeker.id) filter (where matches), '{}') as seekers,
      coalesce(array_agg(distinct near.id) filter (where matches), '{}') as partners,
      coalesce(array_agg(distinct seeker.id) filter (where place = ${readPerKey}), '{}') as cut
    from seeker
    cross join lateral (
      (
        select other.id, matches, place from (
          select other.id, other.at, row_number() over (order by other.at desc) as place from (${others}) as other
          where other.key = seeker.key and other.at between seeker.at - ${reach} and seeker.at
          order by other.at desc
          limit ${readPerKey}
        ) as other
        cross join lateral ${matches(sql, side)} as match (matches)
        where matches or place = ${readPerKey}
        order by other.at desc
        limit ${NEAREST_PER_KEY}
      )
      union all
      (
        select other.id, matches, place from (
          select other.id, other.at, row_number() over (order by other.at) as place from (${others}) as other
          where other.key = seeker.key and other.at > seeker.at and other.at <= seeker.at + ${reach}
          order by other.at
          limit ${readPerKey}
        ) as other
        cross join lateral ${matches(sql, side)} as match (matches)
        where matches or place = ${readPerKey}
        order by other.at
        limit ${NEAREST_PER_KEY}
      )
    ) as near`;
  const { seekers: ids, partners, cut } = found;
  return side === "records"
    ? { records: ids, payments: partners, cut }
    : { records: partners, payments: ids, cut };
}

/**
 * Whether `other`, which shares a key with `seeker`, may be its other half: if both have two identifiers, two
 * must be equal. It excludes no pair of `pairByNearestTime`, which decides. It is a subquery and no join
 * (`offset 0`), so that it runs only for rows that are read.
 */
function matches(sql: Sql, side: Side): Fragment {
  const [table, id, binDigits] =
    side === "records"
      ? [sql`platform.payments`, sql`half.id`, sql`half.bin_digits`]
      : [sql`platform.records`, sql`half.transaction_id`, sql`seeker.bin_digits`];
  return sql`(
    select
      half.identifiers = seeker.identifiers or ${binDigits} ~ '^(6+|8+)$'
      or least(octet_length(half.identifiers), octet_length(seeker.identifiers)) < 64
      or 2 <= (
        select count(*) from generate_series(1, octet_length(half.identifiers), 32) as n
        where position(substring(half.identifiers from n for 32) in seeker.identifiers) > 0
      )
    from ${table} as half where ${id} = other.id offset 0
  )`;
}
