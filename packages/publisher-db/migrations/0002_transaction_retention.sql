-- How long settled transactions are kept (contract, section 12; decision 38). One row, made here. Ingest writes
-- it in the background, some twenty times a second while a round is under way: no index is on what changes, so
-- every update stays on its page.
create table transaction_retention (
  -- The block of the table `transactions` at which the round under way goes on.
  next_block bigint not null default 0,
  -- Transactions older than they are kept that have to stay: of the round under way so far, and of the last
  -- whole one.
  round_kept bigint not null default 0,
  last_kept bigint not null default 0,
  is_only boolean not null default true,
  -- Transactions authorized before it may have left, so an event of one that is not stored is refused. It never
  -- falls, whatever the setting says later: what has left does not come back. Null: none has ever left.
  forgotten_before timestamptz,
  -- Null: no round is under way.
  round_began_at timestamptz,
  -- The earliest `authed_at` of those in round_kept; below, of those in last_kept.
  round_oldest_at timestamptz,
  -- When the last whole round began: what was due by then has left.
  last_began_at timestamptz,
  last_oldest_at timestamptz,
  -- Who does the round, and until when nobody else goes on with it.
  lease_until timestamptz,
  owner uuid,
  constraint transaction_retention_pkey primary key (is_only),
  constraint transaction_retention_one_row check (is_only)
) with (fillfactor = 20);
insert into transaction_retention default values;
