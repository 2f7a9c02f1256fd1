import { gatherLookups, type Sql } from "#postgres";
import {
  type RewardedRow,
  type RewardedTransaction,
  reachableMember,
  rewardedColumns,
  toRewarded,
} from "#publisher-db";

/** Finds an organisation's transaction by the integrator's id. */
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
