import type { Sql } from "#postgres";

/** Failed deliveries that are looked at: what the count costs stays bounded, 100,000 rows are some 30 ms. */
export const PARKED_LOOKED_AT = 100_000;

/** Deliveries that were parked and not replayed since. A failed test is none, since nobody waits for it. */
export async function countParked(sql: Sql): Promise<number> {
  const [{ parked }] = await sql<[{ parked: number }]>`
    select count(*) as parked
    from (
      select place, replayed_at from webhook_deliveries where failed_at is not null limit ${PARKED_LOOKED_AT}
    ) failed
    where place is not null and replayed_at is null`;
  return parked;
}
