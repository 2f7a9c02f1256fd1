import { LIMITS } from "#contract";
import type { Transaction } from "#postgres";
import type { RewardFault } from "./reward-checks.ts";

/** The check stops this far before events are deleted by age, because a sweep may run meanwhile. */
const MARGIN_MS = 24 * 60 * 60 * 1000;

export async function countEvents(sql: Transaction): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`select count(*) from events`;
  return count;
}

/**
 * Finds transactions whose number of events differs from what the events tell of. Events have no index by
 * transaction, which only this check would use: each table is read once, as a whole, and what does not fit
 * into memory the server sorts on disk. A deleted member's stamps are gone, but their events are not: so only
 * transactions that still have stamps are compared. Old events are gone too, the oldest first: what is older
 * than the kept events is not compared.
 * @param limit of each kind
 */
export async function findEventFaults(sql: Transaction, limit: number): Promise<RewardFault[]> {
  const [{ since }] = await sql<[{ since: Date }]>`
    select least(
             now() - ${LIMITS.eventKeptMs - MARGIN_MS}::float8 * interval '1 millisecond', min(at)
           ) as since
    from events where type <> 'transaction.rejected'`;
  const ofStamps = await sql<RewardFault[]>`
    with stamps as (
      select transaction_id, organisation_id, count(*) as made, count(voided_at) as voided
      from qualifying_purchases group by transaction_id, organisation_id
      having min(created_at) >= ${since}
    ),
    told as (
      select transaction_id, count(*) filter (where type = 'qualifying_purchase.created') as made,
             count(*) filter (where type = 'qualifying_purchase.voided') as voided
      from events where type in ('qualifying_purchase.created', 'qualifying_purchase.voided')
      group by transaction_id
    )
    select 'stamp_events' as kind, stamps.organisation_id as "organisationId", transaction_id as id,
           format('%s made and %s voided, events tell of %s and %s', stamps.made, stamps.voided,
                  coalesce(told.made, 0), coalesce(told.voided, 0)) as detail
    from stamps left join told using (transaction_id)
    where stamps.made <> coalesce(told.made, 0) or stamps.voided <> coalesce(told.voided, 0)
    order by transaction_id limit ${limit}`;
  const ofCashbacks = await sql<RewardFault[]>`
    with stored as (
      select transaction_id, organisation_id, count(*) as made, count(cleared_at) as cleared,
             count(reverted_at) as reverted, min(created_at) as first
      from cashbacks group by transaction_id, organisation_id
    ),
    told as (
      select transaction_id, organisation_id, count(*) filter (where type = 'cashback.created') as made,
             count(*) filter (where type = 'cashback.cleared') as cleared,
             count(*) filter (where type = 'cashback.reverted') as reverted
      from events where type in ('cashback.created', 'cashback.cleared', 'cashback.reverted')
      group by transaction_id, organisation_id
    )
    select 'cashback_events' as kind, organisation_id as "organisationId", transaction_id as id,
           format('%s made, %s cleared and %s reverted, events tell of %s, %s and %s', coalesce(stored.made, 0),
                  coalesce(stored.cleared, 0), coalesce(stored.reverted, 0), coalesce(told.made, 0),
                  coalesce(told.cleared, 0), coalesce(told.reverted, 0)) as detail
    from stored full join told using (transaction_id, organisation_id)
    where (stored.made, stored.cleared, stored.reverted) is distinct from (told.made, told.cleared, told.reverted)
      and (stored.first is null or stored.first >= ${since})
    order by transaction_id limit ${limit}`;
  return [...ofStamps, ...ofCashbacks];
}
