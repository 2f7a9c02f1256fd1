import type { LockHolder } from "#runtime";
import type { Store } from "./store.ts";

const STATEMENT_CHARACTERS = 60;

/**
 * The session that holds what sessions of this role have been waiting for, longest first; undefined if none waits. One that
 * waits itself is not it. Of another role's session a role without `pg_monitor` sees number, application and role only.
 */
export async function findLockHolder(store: Store): Promise<LockHolder | undefined> {
  const [holder] = await store<LockHolder[]>`
    select holder.pid, coalesce(holder.application_name, '') as application,
           coalesce(holder.usename, 'unknown') as role,
           to_char(holder.xact_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
           case when holder.state is null then null
                else left(regexp_replace(holder.query, '\\s+', ' ', 'g'), ${STATEMENT_CHARACTERS}) end as statement
    from pg_stat_activity as waiting
    cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
    join pg_stat_activity as holder on holder.pid = blocking.pid
    where waiting.wait_event_type = 'Lock' and waiting.usename = current_user
      and waiting.datname = current_database() and holder.wait_event_type is distinct from 'Lock'
    order by waiting.query_start limit 1`;
  if (holder === undefined) return undefined;
  return { ...holder, since: holder.since ?? undefined, statement: holder.statement ?? undefined };
}
