import type { Store } from "#postgres";
import { readTrace } from "../../../services/edge/src/trace/read-trace.ts";

/** The number of traced purchases of one round: those with the most events. */
const TRACED = 200;

interface KnownRow {
  readonly externalId: string;
  readonly events: readonly string[];
  readonly redemptions: readonly string[];
}

/**
 * A trace finds events by the time of the reported change, and redemptions among the next ones of the card.
 * This compares it with all rows, read from end to end. @returns the differences
 */
export async function traceFaults(store: Store, organisationId: string): Promise<string[]> {
  const known = await store<KnownRow[]>`
    with told as (
      select transaction_id, array_agg(id order by sequence) as events
      from events
      where organisation_id = ${organisationId} and type <> 'transaction.rejected'
      group by transaction_id
    ),
    taken as (
      select q.transaction_id, array_agg(r.id order by r.created_at, r.id) as redemptions
      from redemptions r cross join lateral unnest(r.stamp_ids) as of (stamp_id)
      join qualifying_purchases q on q.id = of.stamp_id
      where r.organisation_id = ${organisationId}
      group by q.transaction_id
    )
    select t.external_id as "externalId", told.events, coalesce(taken.redemptions, '{}') as redemptions
    from told join transactions t on t.id = told.transaction_id left join taken on taken.transaction_id = t.id
    where t.organisation_id = ${organisationId}
    order by cardinality(told.events) desc, t.external_id
    limit ${TRACED}`;
  const faults: string[] = [];
  for (const { externalId, events, redemptions } of known) {
    const traced = await readTrace(store, { organisationId, externalId, partition: 0 });
    const found = {
      events: traced?.told.events.map(({ id }) => id),
      redemptions: traced?.redemptions.map(({ id }) => id),
    };
    if (JSON.stringify(found) === JSON.stringify({ events, redemptions })) continue;
    faults.push(
      `the trace of ${externalId} has ${JSON.stringify(found)}, and there are ${events} ${redemptions}`,
    );
  }
  return known.length === 0 ? ["nothing was told of any purchase"] : faults;
}
