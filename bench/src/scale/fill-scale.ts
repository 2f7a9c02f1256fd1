import type { Store } from "#postgres";
import type { World } from "../ingest/world.ts";
import type { ScaleOptions } from "./options.ts";

const ROWS_PER_INSERT = 200_000;
/** How far back the history goes. */
export const HISTORY_MS = 200 * 86_400_000;

/** A UUID of a millisecond, as an expression of SQL. */
const uuidOf = (at: string, seed: string) =>
  `(lpad(to_hex(floor(extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5(${seed}), 1, 3)
    || '8' || substr(md5(${seed}), 4, 15))::uuid`;

/**
 * Transactions in the order of time over the last 200 days, each of any member, with keys and ids that sort
 * by time; cards, stamps, and for each stamp its event. Nothing is analysed.
 */
export async function fillScale(
  store: Store,
  { organisationId, memberIds }: World,
  { rows, stampEvery }: ScaleOptions,
  say: (text: string) => void,
): Promise<void> {
  await store.script("set synchronous_commit = off; set jit = off");
  await store.script(
    "create table scale_members (place int primary key, id uuid) with (autovacuum_enabled = off)",
  );
  await store`
    insert into scale_members select at, id from unnest(${memberIds as string[]}::uuid[]) with ordinality as m (id, at)`;
  await store.script(`
    alter table transactions set (autovacuum_enabled = off);
    insert into stamp_collections (id, organisation_id, member_id, loyalty_program_id, next_position)
      select id, organisation_id, id, '01900000-0000-7000-8000-000000000001', ${rows + 1} from members;
    `);
  await store.script("analyze scale_members");
  for (let from = 0; from < rows; from += ROWS_PER_INSERT) {
    const to = Math.min(rows, from + ROWS_PER_INSERT);
    say(`storing transactions ${from} to ${to}`);
    await store.script(`
      create temporary table made as
        select n, at, id, 1 + floor(random() * ${memberIds.length})::int as member,
               ${uuidOf("at", "'key ' || n")}::text as external_id
        from (
          select n, at, ${uuidOf("at", "'id ' || n")} as id
          from generate_series(${from}, ${to - 1}) as n
          cross join lateral (
            select now() - interval '${HISTORY_MS} milliseconds' * (1 - n / ${rows}::float8) as at
          ) as t
        ) as drawn;
      insert into transactions (authed_at, created_at, updated_at, cleared_at, organisation_id, id, member_id, external_id, state,
                                network, merchant_id, identifier_6, identifier_8, statement_descriptor, amount, currency)
        select at, at, at, at, '${organisationId}', made.id, m.id, external_id, 'cleared', 'visa', 'MID-' || n % 100000,
               sha256(external_id::bytea), sha256(made.id::text::bytea), 'A SHOP SOMEWHERE', 100 + n % 10000, 'EUR'
        from made join scale_members m on m.place = made.member order by made.n;
      insert into qualifying_purchases (position, created_at, id, organisation_id, stamp_collection_id, transaction_id, transaction_ref)
        select made.n, at, gen_random_uuid(), '${organisationId}', m.id, made.id, external_id
        from made join scale_members m on m.place = made.member where made.n % ${stampEvery} = 0 order by made.n;
      insert into events (id, organisation_id, type, at, written_at, transaction_id, body)
        select ${uuidOf("at", "'event ' || n")}, '${organisationId}', 'qualifying_purchase.created', at, at, id,
               json_build_object('event_id', 'evt_' || substr(id::text, 1, 26), 'type', 'qualifying_purchase.created', 'timestamp', at,
                 'transaction_id', 'tx_' || substr(id::text, 1, 26), 'transaction_ref', external_id,
                 'qualifying_purchase_id', 'qp_' || substr(id::text, 1, 26), 'loyalty_program_id', 'lp_' || substr(id::text, 1, 26),
                 'stamp_collection_id', 'sc_' || substr(id::text, 1, 26), 'unredeemed_purchases', 1, 'created_at', at)::text
        from made where n % ${stampEvery} = 0 order by n;
      drop table made`);
  }
  await store.script(`
    update stamp_collections c set unredeemed_purchases = own.count
      from (select stamp_collection_id as id, count(*) from qualifying_purchases group by 1) own where own.id = c.id;
    update webhook_horizon set sequence = (select coalesce(max(sequence), 0) from events);
    drop table scale_members`);
  await store.script("vacuum transactions");
}

/** Like after a load or a restore without `analyze`. */
export async function forgetStatistics(store: Store): Promise<void> {
  await store.script(`
    delete from pg_statistic where starelid = any('{transactions,members,cashbacks}'::regclass[]);
    update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
      where oid = any('{transactions,members,cashbacks,transactions_pkey,transactions_member_idx}'::regclass[])`);
}
