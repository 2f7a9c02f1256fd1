-- The two halves of purchases, records of publishers and payments of retailers, and what their meeting came to.
--
-- * A half is open while it has no other half and may still find one. Only open halves have keys, in tables of their own:
--   what is looked through for a partner is what waits, not all that was ever paired.
-- * Pairing changes columns of records and payments that no index holds, so that it is a HOT update wherever the page has
--   room; the fill factors see to that for halves that have waited. It deletes keys, and never updates them.
-- * arrived_at is the same for all rows of a statement, so that its indexes take six bytes a row (deduplication).
-- * Columns stand as in the publisher's transactions: fixed width first, then what may be null, then what varies.

create table platform.records (
  authed_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  transaction_id uuid not null,
  retailer_id uuid not null,
  payment_id uuid,
  is_open boolean not null,
  -- Several retailers have its merchant id, and the descriptor decided which one it is of.
  shared boolean not null,
  state text not null,
  merchant_id text not null,
  statement_descriptor text,
  -- SHA-256s, one after the other in their order, 32 bytes each; two of a card, and never more than eight.
  identifiers bytea not null,
  -- Pairs, flat and in their order: clip, its deal, …; stamp collection, its program, …. Null: none.
  clips uuid[],
  enrolments uuid[],
  -- Ids of the outcomes that were emitted; what is in here is never emitted again. Null: none.
  outcomes uuid[],
  constraint records_pkey primary key (transaction_id),
  constraint records_state_known check (state in ('authorized', 'cleared', 'reverted')),
  constraint records_open_agrees check (not is_open or (payment_id is null and state <> 'reverted')),
  constraint records_identifiers_length check (
    octet_length(identifiers) between 32 and 256 and octet_length(identifiers) % 32 = 0
  )
) with (fillfactor = 85);

create table platform.payments (
  paid_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  amount bigint not null,
  -- Made from the retailer and its payment_id: the primary key is what makes a payment that is sent again the same one.
  id uuid not null,
  retailer_id uuid not null,
  transaction_id uuid,
  is_open boolean not null default true,
  currency text not null,
  payment_id text collate "C" not null,
  identifiers bytea not null,
  constraint payments_pkey primary key (id),
  constraint payments_open_agrees check (not is_open or transaction_id is null),
  constraint payments_amount_range check (amount between 0 and 9007199254740991),
  constraint payments_identifiers_length check (
    octet_length(identifiers) between 32 and 256 and octet_length(identifiers) % 32 = 0
  )
) with (fillfactor = 85);

-- What the background removes, the oldest first.
create index records_arrived_idx on platform.records (arrived_at);
create index payments_arrived_idx on platform.payments (arrived_at);

-- Where a half is looked for: 64 bits of a SHA-256 over retailer and identifier, one for each identifier. Two purchases
-- that share one by chance are told apart by their identifiers when they are loaded. A weaker hash would not do: whoever
-- could aim at the key of another retailer could bury that one's halves under his own.
-- Not strict, or it would not be inlined. The list of places says eight where generate_series would have the planner
-- think of a thousand.
create function platform.half_keys(retailer_id uuid, identifiers bytea) returns setof bigint
language sql immutable parallel safe
begin atomic
  select ('x' || encode(
    substring(sha256(uuid_send(retailer_id) || substring(identifiers from 32 * n + 1 for 32)) from 1 for 8), 'hex'
  ))::bit(64)::bigint
  from unnest('{0,1,2,3,4,5,6,7}'::int[]) as n
  where n < octet_length(identifiers) / 32;
end;

-- One row for each identifier of an open half. Without a primary key: rows are made and deleted under the lock of their
-- half only, and a unique index over key and half would be twice the size of this one.
create table platform.open_records (
  key bigint not null,
  authed_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  transaction_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

create table platform.open_payments (
  key bigint not null,
  paid_at timestamptz not null,
  arrived_at timestamptz not null default now(),
  payment_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- The time in it: the nearest halves of a key are found without reading the others, however many there are.
create index open_records_key_idx on platform.open_records (key, authed_at);
create index open_payments_key_idx on platform.open_payments (key, paid_at);
-- What has waited for too long, the oldest first.
create index open_records_arrived_idx on platform.open_records (arrived_at);
create index open_payments_arrived_idx on platform.open_payments (arrived_at);

-- Outcomes that are decided and not yet published, in the transaction that decided them. Rows live for milliseconds, so
-- it is vacuumed by their number and not by a share of a table that is mostly empty.
create table platform.outcome_queue (
  position bigint generated always as identity,
  queued_at timestamptz not null default now(),
  -- The JSON of an `Outcome`.
  outcome text not null,
  constraint outcome_queue_pkey primary key (position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
