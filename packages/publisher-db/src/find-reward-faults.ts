import type { Transaction } from "#postgres";
import type { RewardFault } from "./reward-checks.ts";

/** A settlement may be on its way to rewards for this long. */
const UNDER_WAY_HOURS = 1;

type Find = (sql: Transaction, ids: readonly string[]) => Promise<readonly RewardFault[]>;

/** The faults of these rows and of the rows that belong to them; `REWARD_CHECKS` explains each kind. */
export async function findFaults(
  sql: Transaction,
  table: keyof typeof FIND,
  ids: readonly string[],
): Promise<RewardFault[]> {
  const found: RewardFault[] = [];
  for (const find of FIND[table]) found.push(...(await find(sql, ids)));
  return found;
}

const FIND = {
  stamp_collections: [ofCollections, ofStamps],
  redemptions: [ofRedemptions],
  cashbacks: [ofCashbacks],
  clips: [ofClips],
} as const satisfies Record<string, readonly Find[]>;

async function ofCollections(sql: Transaction, ids: readonly string[]): Promise<RewardFault[]> {
  return sql<RewardFault[]>`
    select fault.kind, c.organisation_id as "organisationId", c.id, fault.detail
    from stamp_collections c
    cross join lateral (
      select count(*) as live, count(*) filter (where q.redemption_id is null) as unredeemed,
             count(redemptions.id) as held
      from qualifying_purchases q
      left join redemptions on redemptions.id = q.redemption_id and redemptions.undone_at is null
        and redemptions.stamp_collection_id = c.id
      where q.stamp_collection_id = c.id and q.voided_at is null
    ) as stamps
    cross join lateral (
      select coalesce(array_agg(r.id order by r.id), '{}') as ids
      from redemptions r left join cashbacks on cashbacks.redemption_id = r.id
      where r.stamp_collection_id = c.id and r.undone_at is null
        and (cashbacks.state = 'pending' or (cashbacks.id is null and r.id = any(c.pending_redemptions)))
    ) as pending
    left join lateral (
      select position from qualifying_purchases
      where stamp_collection_id = c.id order by position desc limit 1
    ) as newest on true
    cross join lateral (values
      ('counter', c.unredeemed_purchases <> unredeemed,
       format('counts %s, %s live stamps are unredeemed', c.unredeemed_purchases, unredeemed)),
      ('invariant', live <> c.unredeemed_purchases + held,
       format('%s live stamps, %s counted and %s held', live, c.unredeemed_purchases, held)),
      ('position', newest.position >= c.next_position,
       format('position %s is taken, %s is next', newest.position, c.next_position)),
      ('pending', array(select unnest(c.pending_redemptions) as id order by id) <> pending.ids,
       format('%s are kept as pending, %s are', cardinality(c.pending_redemptions), cardinality(pending.ids)))
    ) as fault (kind, is_broken, detail)
    where c.id = any(${ids}::uuid[]) and fault.is_broken
    order by c.id`;
}

async function ofStamps(sql: Transaction, collectionIds: readonly string[]): Promise<RewardFault[]> {
  return sql<RewardFault[]>`
    select fault.kind, q.organisation_id as "organisationId", q.id, fault.detail
    from qualifying_purchases q
    join stamp_collections c on c.id = q.stamp_collection_id
    left join transactions t
      on t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref and t.id = q.transaction_id
    left join redemptions r on r.id = q.redemption_id and r.stamp_collection_id = q.stamp_collection_id
    left join cashbacks on cashbacks.redemption_id = r.id
    left join transaction_retention kept on true
    cross join lateral (values
      ('stamp_transaction',
       t.id is null and (
         q.created_at < kept.forgotten_before
         and (q.voided_at is not null or cashbacks.state is not distinct from 'cleared')
       ) is not true,
       format('no transaction %s under its ref', q.transaction_id)),
      ('stamp_member', t.id is not null and t.member_id is distinct from c.member_id,
       format('transaction %s is of another member', q.transaction_id)),
      ('stamp_voided', q.voided_at is not null and t.state <> 'reverted',
       format('voided, transaction %s is %s', q.transaction_id, t.state)),
      ('stamp_reverted',
       q.voided_at is null and t.state = 'reverted' and t.updated_at < now() - ${UNDER_WAY_HOURS} * interval '1 hour',
       format('live, transaction %s was reverted', q.transaction_id)),
      ('stamp_redemption',
       q.redemption_id is not null and (r.id is null or (r.undone_at is not null and q.voided_at is null)),
       format('names redemption %s, which %s', q.redemption_id,
              case when r.id is null then 'its collection does not have' else 'is undone' end))
    ) as fault (kind, is_broken, detail)
    where q.stamp_collection_id = any(${collectionIds}::uuid[]) and fault.is_broken
    order by q.id`;
}

async function ofRedemptions(sql: Transaction, ids: readonly string[]): Promise<RewardFault[]> {
  return sql<RewardFault[]>`
    select fault.kind, r.organisation_id as "organisationId", r.id, fault.detail
    from redemptions r
    left join cashbacks c on c.redemption_id = r.id
    cross join lateral (
      select count(*) as held, count(q.voided_at) as voided,
             min(t.settled_order) filter (where q.voided_at is not null) as first_void,
             max(coalesce(t.settled_order, 0)) filter (where t.id = r.transaction_id and t.state = 'cleared') as paid
      from qualifying_purchases q
      left join transactions t on t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref
      where q.id = any(r.stamp_ids) and q.redemption_id = r.id and q.stamp_collection_id = r.stamp_collection_id
    ) as stamps
    cross join lateral (values
      ('redemption_cashback',
       (c.state = 'reverted') <> (r.undone_at is not null)
         or c.transaction_id <> r.transaction_id or c.stamp_collection_id <> r.stamp_collection_id,
       format('%s, cashback %s is %s', case when r.undone_at is null then 'stands' else 'is undone' end,
              coalesce(c.id::text, 'none'), coalesce(c.state, 'not there'))),
      ('redemption_stamps',
       r.undone_at is null and (held <> cardinality(r.stamp_ids) or (voided > 0 and c.state = 'pending')),
       format('took %s stamps, %s name it, %s of them are voided', cardinality(r.stamp_ids), held, voided)),
      ('redemption_order', r.undone_at is null and c.state = 'cleared' and first_void < paid,
       format('cleared as %s, but a purchase was reverted as %s', paid, first_void)),
      ('redemption_undone', r.undone_at is not null and voided = 0, 'none of its stamps is voided')
    ) as fault (kind, is_broken, detail)
    where r.id = any(${ids}::uuid[]) and fault.is_broken
    order by r.id`;
}

/**
 * A redemption is also undone by the reversal of another of its purchases, so a reverted cashback says nothing about its own
 * transaction.
 */
async function ofCashbacks(sql: Transaction, ids: readonly string[]): Promise<RewardFault[]> {
  return sql<RewardFault[]>`
    select fault.kind, c.organisation_id as "organisationId", c.id, fault.detail
    from cashbacks c
    left join transactions t
      on t.organisation_id = c.organisation_id and t.external_id = c.transaction_ref and t.id = c.transaction_id
    left join stamp_collections on stamp_collections.id = c.stamp_collection_id
    left join redemptions on redemptions.id = c.redemption_id
    left join deals d on d.id = c.deal_id and (d.updated_at = d.created_at or d.updated_at <= t.authed_at)
    left join transaction_retention kept on true
    cross join lateral (values
      ('cashback_transaction',
       t.id is null and (
         c.redemption_id is not null and c.state <> 'pending'
         and greatest(c.created_at, c.cleared_at, c.reverted_at) < kept.forgotten_before
       ) is not true,
       format('no transaction %s under its ref', c.transaction_id)),
      ('cashback_state',
       (c.state = 'cleared' and t.state <> 'cleared')
         or (c.state = 'reverted' and t.state <> 'reverted' and c.clip_id is not null),
       format('is %s, transaction %s is %s', c.state, c.transaction_id, t.state)),
      ('cashback_pending',
       c.state = 'pending' and t.state <> 'authorized' and t.updated_at < now() - ${UNDER_WAY_HOURS} * interval '1 hour',
       format('pending, transaction %s is %s', c.transaction_id, t.state)),
      ('cashback_deal',
       c.amount > (case d.reward_config ->> 'type'
         when 'fixed' then d.reward_config ->> 'amount' else d.reward_config ->> 'max_amount' end)::bigint,
       format('%s, its deal gives %s', c.amount, d.reward_config)),
      ('cashback_once', exists (
         select from cashbacks other
         where other.transaction_id = c.transaction_id and other.deal_id = c.deal_id and other.id < c.id
       ), format('transaction %s has redeemed deal %s before', c.transaction_id, c.deal_id)),
      ('cashback_settled', c.state = 'cleared' and c.redemption_id is not null and t.state = 'cleared'
         and c.currency = t.currency and c.amount > t.amount and exists (
           select from qualifying_purchases q
           where q.transaction_id = c.transaction_id and q.redemption_id = c.redemption_id
             and q.reward_config ->> 'type' = 'refund' and q.purchase_amount is null
         ), format('%s, its purchase settled for %s', c.amount, t.amount)),
      ('cashback_redemption', stamp_collections.id is not null and redemptions.id is null,
       format('redemption %s is not there', c.redemption_id))
    ) as fault (kind, is_broken, detail)
    where c.id = any(${ids}::uuid[]) and fault.is_broken
    order by c.id`;
}

async function ofClips(sql: Transaction, ids: readonly string[]): Promise<RewardFault[]> {
  return sql<RewardFault[]>`
    select 'clip_cashback' as kind, clips.organisation_id as "organisationId", clips.id,
           case when cashbacks.id is null then 'redeemed without a cashback'
             else format('open with cashback %s', cashbacks.id) end as detail
    from clips left join cashbacks on cashbacks.clip_id = clips.id and cashbacks.state <> 'reverted'
    left join transaction_retention kept on true
    where clips.id = any(${ids}::uuid[]) and (clips.redeemed_at is null) <> (cashbacks.id is null)
      and (
        cashbacks.id is not null or not exists (select from cashbacks c where c.clip_id = clips.id)
      )
      and (cashbacks.id is null and clips.redeemed_at < kept.forgotten_before) is not true
    order by clips.id`;
}

/** How many of these rows, or of the rows that belong to them, still wait for their settlement. */
export async function findLagging(
  sql: Transaction,
  table: keyof typeof FIND,
  ids: readonly string[],
): Promise<number> {
  if (table !== "stamp_collections" && table !== "cashbacks") return 0;
  const [{ count }] = await (table === "cashbacks"
    ? sql<[{ count: number }]>`
        select count(*) from cashbacks c
        join transactions t on t.organisation_id = c.organisation_id and t.external_id = c.transaction_ref
        where c.id = any(${ids}::uuid[]) and c.state = 'pending' and t.state <> 'authorized'
          and t.updated_at >= now() - ${UNDER_WAY_HOURS} * interval '1 hour'`
    : sql<[{ count: number }]>`
        select count(*) from qualifying_purchases q
        join transactions t on t.organisation_id = q.organisation_id and t.external_id = q.transaction_ref
        where q.stamp_collection_id = any(${ids}::uuid[]) and q.voided_at is null and t.state = 'reverted'`);
  return count;
}
