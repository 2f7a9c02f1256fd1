import type { Sql } from "#postgres";

/**
 * Records when tokens (id → time, of any organisations) were last used: called at intervals with what
 * gathered since, not per request. A later time on record stays, so processes may report in any order;
 * unknown ids are ignored.
 */
export async function touchTokens(sql: Sql, lastUsedAt: ReadonlyMap<string, Date>): Promise<void> {
  if (lastUsedAt.size === 0) return;
  const ids = [...lastUsedAt.keys()];
  const times = [...lastUsedAt.values()].map((time) => time.toISOString());
  // Two processes report overlapping sets: rows are locked in the order of their ids, or they could deadlock.
  await sql`
    with used as (
      select id, at from unnest(${ids}::uuid[], ${times}::timestamptz[]) as used (id, at)
    ), locked as (
      select api_tokens.id, used.at
      from api_tokens join used using (id)
      order by api_tokens.id
      for no key update of api_tokens
    )
    update api_tokens
    set last_used_at = locked.at
    from locked
    where api_tokens.id = locked.id
      and (api_tokens.last_used_at is null or api_tokens.last_used_at < locked.at)`;
}
