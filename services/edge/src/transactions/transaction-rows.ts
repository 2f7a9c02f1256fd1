import { type IgnoredEvent, LIMITS, type RejectedEvent } from "#contract";
import { gatherLookups, type Sql } from "#postgres";
import {
  type RewardedRow,
  type RewardedTransaction,
  reachableMember,
  rewardedColumns,
  toRewarded,
} from "#publisher-db";

/** One transaction of an organisation by the integrator's own id for it. */
export function getTransaction(
  sql: Sql,
  organisationId: string,
  externalId: string,
): Promise<RewardedTransaction | undefined> {
  return findByExternalId(sql, { organisationId, externalId });
}

type ExternalKey = { readonly organisationId: string; readonly externalId: string };

const findByExternalId = gatherLookups<ExternalKey, RewardedTransaction>(async (sql, keys) => {
  const organisations = keys.map((key) => key.organisationId);
  const externalIds = keys.map((key) => key.externalId);
  // `limit 1` as in `getMember`: a look-up for each key.
  const rows = await sql<(RewardedRow | { readonly id: null })[]>`
    select found.*
    from unnest(${organisations}::uuid[], ${externalIds}::text[])
      with ordinality as wanted (organisation_id, external_id, at)
    left join lateral (
      select ${rewardedColumns(sql)}
      from transactions t
      left join members m on m.id = t.member_id and ${reachableMember(sql)}
      where t.organisation_id = wanted.organisation_id and t.external_id = wanted.external_id
      limit 1
    ) as found on true
    order by wanted.at`;
  return rows.map((row) => (row.id === null ? undefined : toRewarded(row)));
});

/** What is known of a batch that was answered 202. */
export interface BatchOutcome {
  /** Events whose outcome is known, of so many. */
  readonly knownEvents: number;
  readonly batchEvents: number;
  /** As `toRejectedEvent` wrote them, by index. */
  readonly rejected: readonly RejectedEvent[];
  /** The first events of which something was ignored, as `toIgnoredEvent` wrote them … */
  readonly ignored: readonly IgnoredEvent[];
  /** … of so many. */
  readonly ignoredCount: number;
}

/** Undefined while nothing is known of it. */
export async function getBatch(
  sql: Sql,
  organisationId: string,
  batchId: string,
): Promise<BatchOutcome | undefined> {
  const [outcome] = await sql<[BatchOutcome | { readonly knownEvents: null }]>`
    select
      sum(part_events)::int as "knownEvents",
      max(batch_events) as "batchEvents",
      sum(ignored_count)::int as "ignoredCount",
      (
        select coalesce(jsonb_agg(entry order by (entry ->> 'index')::int), '[]')
        from (
          select entry
          from batch_parts p, jsonb_array_elements(p.ignored) as entry
          where p.batch_id = ${batchId} and p.organisation_id = ${organisationId}
          order by (entry ->> 'index')::int
          limit ${LIMITS.ignoredEvents}
        ) as first_ignored
      ) as ignored,
      (
        select coalesce(jsonb_agg(entry order by (entry ->> 'index')::int), '[]')
        from batch_parts p, jsonb_array_elements(p.rejected) as entry
        where p.batch_id = ${batchId} and p.organisation_id = ${organisationId}
      ) as rejected
    from batch_parts
    where batch_id = ${batchId} and organisation_id = ${organisationId}
  `;
  return outcome.knownEvents === null ? undefined : outcome;
}
