import type { Store } from "#postgres";
import type { World } from "../ingest/world.ts";

const ROWS_PER_INSERT = 100_000;
/**
 * Of a hundred transactions this many stay authorized for ever, and this many are young; of the others every
 * tenth has earned a stamp.
 */
const OPEN_PERCENT = 2;
const YOUNG_PERCENT = 20;
const STAMP_EVERY = 10;
const STAMPS_PER_REDEMPTION = 10;

/** The content of a history of this size. */
export interface History {
  /** Transactions that are older than the retention, settled and at rest. */
  readonly due: number;
  readonly stays: number;
}

/**
 * A history like that of ingestion and rewards: in the order of time, from 400 days ago to 60, with a card
 * for each member, paid redemptions, and unredeemed stamps. No transaction is close to the age of retention:
 * the due ones do not change while the benchmark runs.
 */
export async function fillHistory(store: Store, world: World, rows: number): Promise<History> {
  await store.script(
    "create temporary table history (n bigint, collection uuid, tx uuid, ref text, at timestamptz)",
  );
  await store`
    insert into loyalty_programs (id, revision, created_at, updated_at, qualifying_threshold, name, reward_config, display_content)
    values ('01900000-0000-7000-8000-000000000001', 1, now(), now(), ${STAMPS_PER_REDEMPTION}, 'Coffee',
            '{"type":"refund"}', '{}')`;
  await store`
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, next_position)
    select gen_random_uuid(), organisation_id, id, '01900000-0000-7000-8000-000000000001', 1000000000 from members`;
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    await insertTransactions(store, world, { from, to: Math.min(rows, from + ROWS_PER_INSERT), rows });
  }
  await insertRewards(store);
  await store.script("drop table history");
  await store.script("vacuum analyze");
  // Otherwise ingestion would pay for writing these rows out.
  await store.script("checkpoint");
  return countHistory(store);
}

function insertTransactions(
  store: Store,
  { organisationId, memberIds }: World,
  { from, to, rows }: { readonly from: number; readonly to: number; readonly rows: number },
) {
  // Below the keys that are ingested later, like time-sortable ones.
  const old = Math.floor((rows * (100 - YOUNG_PERCENT)) / 100);
  return store`
    with made as (
      insert into transactions (authed_at, updated_at, cleared_at, organisation_id, id, member_id, external_id, state, network,
                                merchant_id, identifier_6, amount, currency)
      select at, at, case when is_open then null else at end, ${organisationId}, id,
             (${memberIds as string[]}::uuid[])[1 + n % ${memberIds.length}::int],
             lpad(n::text, 16, '0'), case when is_open then 'authorized' else 'cleared' end, 'visa',
             'MID-' || n % 1000, sha256(n::text::bytea), 100 + n % 10000, 'EUR'
      from (
        select n, gen_random_uuid() as id, n % 100 < ${OPEN_PERCENT}::int as is_open,
               case when n < ${old}::bigint then now() - interval '95 days' - interval '305 days' * (1 - n / ${old}::float8)
                 else now() - interval '60 days' end as at
        from generate_series(${from}::bigint, ${to - 1}::bigint) as n
      ) as drawn
      returning id, member_id, external_id, state, authed_at, right(external_id, 12)::bigint as n
    )
    insert into history
    select made.n, c.id, made.id, made.external_id, made.authed_at
    from made join stamp_collections c on c.member_id = made.member_id
    where made.n % ${STAMP_EVERY}::int = 5 and made.state = 'cleared'`;
}

/** Ten consecutive stamps on a card are a redemption; the rest of each card is unredeemed. */
async function insertRewards(store: Store): Promise<void> {
  await store.script(`
    create temporary table placed as
      select *, row_number() over (partition by collection order by n) - 1 as place from history;
    create temporary table taken as
      select collection, place / ${STAMPS_PER_REDEMPTION} as cycle, gen_random_uuid() as redemption, max(at) as at,
             (array_agg(tx order by place desc))[1] as tx, (array_agg(ref order by place desc))[1] as ref
      from placed group by 1, 2 having count(*) = ${STAMPS_PER_REDEMPTION};
    insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id,
                                      transaction_ref, redemption_id)
      select p.place + 1, p.at, gen_random_uuid(), c.organisation_id, p.collection, p.tx, p.ref, t.redemption
      from placed p join stamp_collections c on c.id = p.collection
      left join taken t on t.collection = p.collection and t.cycle = p.place / ${STAMPS_PER_REDEMPTION};
    insert into redemptions (created_at, id, organisation_id, stamp_collection_id, transaction_id, stamp_ids)
      select t.at, t.redemption, c.organisation_id, t.collection, t.tx, q.ids
      from taken t join stamp_collections c on c.id = t.collection
      join (
        select redemption_id, array_agg(id order by position) as ids from qualifying_purchases group by 1
      ) q on q.redemption_id = t.redemption;
    insert into cashbacks (id, organisation_id, transaction_id, amount, member_id, loyalty_program_id, stamp_collection_id,
                           redemption_id, transaction_ref, state, currency, created_at, cleared_at)
      select gen_random_uuid(), c.organisation_id, t.tx, 300, c.member_id, c.loyalty_program_id, t.collection, t.redemption, t.ref,
             'cleared', 'EUR', t.at, t.at
      from taken t join stamp_collections c on c.id = t.collection;
    update stamp_collections c set unredeemed_purchases = own.count
      from (
        select stamp_collection_id as id, count(*) from qualifying_purchases where redemption_id is null group by 1
      ) own where own.id = c.id`);
}

async function countHistory(store: Store): Promise<History> {
  const [{ due, total }] = await store<[{ due: number; total: number }]>`
    select count(*) as total,
           count(*) filter (
             where state <> 'authorized' and authed_at < now() - interval '90 days' and not exists (
               select from qualifying_purchases q
               left join cashbacks c on c.redemption_id = q.redemption_id
               where q.transaction_id = t.id and (c.id is null or c.cleared_at >= now() - interval '90 days')
             )
           ) as due
    from transactions t`;
  return { due, stays: total - due };
}
