-- The publisher's tables: who may call, whose purchases they are, the purchases, what they earn, and what
-- webhooks are told.
--
-- * Keys are UUIDv7 made by the caller: a retried insert meets itself, and creation order is key order.
-- * Text is bounded at the edge (contract, sections 5 and 6); here stand only the rules another row's meaning
--   rests on.
-- * What is removed after a time is found by when the database wrote it, and by nothing that carries the
--   clock of a process (decision 19). That time is the same for all rows of a statement, so that an index on
--   it takes six bytes a row (deduplication).
-- * Columns stand in the order that costs no padding and lets Postgres compute fixed offsets for the longest
--   prefix: fixed width and never null (8 bytes first, then uuids: 16 bytes without alignment), fixed width
--   and nullable, then what varies. An int or a boolean stands where it pushes no wider column out of its
--   alignment. A null takes no space.

-- What all processes of one installation share and nobody outside may know. One row, made here.
create table installation (
  is_only boolean not null default true,
  -- Signs list cursors: 32 bytes, so that they are tamper-evident across edge processes and restarts.
  cursor_key bytea not null,
  constraint installation_pkey primary key (is_only),
  constraint installation_one_row check (is_only),
  constraint installation_cursor_key_length check (octet_length(cursor_key) = 32)
);

-- Two random UUIDs carry 244 bits from the server's cryptographic source.
insert into installation (cursor_key)
values (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

create table organisations (
  created_at timestamptz not null default now(),
  id uuid not null,
  name text not null,
  constraint organisations_pkey primary key (id)
);

create table api_tokens (
  created_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  access text not null,
  description text not null,
  secret_hash bytea not null,
  constraint api_tokens_pkey primary key (id),
  constraint api_tokens_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint api_tokens_access_known check (access in ('read', 'write')),
  constraint api_tokens_secret_hash_key unique (secret_hash),
  -- SHA-256. A shorter value would mean that somebody stored something else, perhaps the secret itself.
  constraint api_tokens_secret_hash_length check (octet_length(secret_hash) = 32)
);
-- Listing by organisation in creation order.
create index api_tokens_organisation_id_idx on api_tokens (organisation_id, id);

-- The first answer to a request with an idempotency key, for 24 hours (contract, section 5). Written in the
-- transaction that does the work: there is no state in between that a crash could leave behind.
create table idempotency_keys (
  created_at timestamptz not null default now(),
  organisation_id uuid not null,
  status int not null,
  route text collate "C" not null,
  key text collate "C" not null,
  -- SHA-256 of the request body in a canonical form: another body under the same key is a conflict.
  request_hash bytea not null,
  -- The key that sealed the answer; null for an answer without secrets, which is stored as it is.
  key_id text,
  answer bytea not null,
  constraint idempotency_keys_pkey primary key (organisation_id, route, key),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
-- For the sweep of old ones.
create index idempotency_keys_created_idx on idempotency_keys (created_at);

create table memberbases (
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Kept exactly, by the triggers on members: counting a million rows for every page of a list would cost
  -- several times the page. No index may hold this column, so that its updates stay HOT.
  member_count bigint not null default 0,
  id uuid not null,
  organisation_id uuid not null,
  deleted_at timestamptz,
  name text not null,
  constraint memberbases_pkey primary key (id),
  constraint memberbases_organisation_fkey foreign key (organisation_id) references organisations (id),
  -- Serves the listing in creation order, and is what members refer to.
  constraint memberbases_organisation_id_key unique (organisation_id, id),
  constraint memberbases_member_count_range check (member_count >= 0)
);
-- Whether a member's memberbase is deleted is asked for every transaction that comes in: this keeps the
-- answer small.
create index memberbases_deleted_idx on memberbases (id) where deleted_at is not null;

create table members (
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  memberbase_id uuid not null,
  -- Whether the member has ever had an enrolment or a clip. Ingest reads the member's row anyway; for the
  -- many members without any, this saves it two look-ups. Set in the transaction that makes the first one,
  -- never reset.
  linked boolean not null default false,
  -- Exact bytes: no locale makes two refs equal, and an upgrade of the C library cannot reorder the index.
  ref text collate "C" not null,
  attributes jsonb not null default '{}',
  constraint members_pkey primary key (id),
  -- Both columns: a member cannot be of another organisation than its memberbase, whatever a statement
  -- forgets.
  constraint members_memberbase_fkey foreign key (organisation_id, memberbase_id)
    references memberbases (organisation_id, id),
  constraint members_memberbase_ref_key unique (memberbase_id, ref),
  constraint members_attributes_object check (jsonb_typeof(attributes) = 'object')
);
-- Listing a memberbase in creation order.
create index members_memberbase_id_idx on members (memberbase_id, id);

-- Members that were deleted and whose transactions may still name them. Readers take a member_id without a
-- member for null, so nothing depends on how soon that is done (see transactions). A row goes when nothing
-- names its member.
create table deleted_members (
  deleted_at timestamptz not null default now(),
  member_id uuid not null,
  constraint deleted_members_pkey primary key (member_id)
);

-- Members are counted by triggers, because they are also removed by cascades and by hand, and a count that is
-- wrong once stays wrong. A statement's members are counted at its end, when it holds all locks that it wants
-- on members and on what hangs on them: the memberbase is the last lock that anybody takes, so that no two
-- can wait for each other. Statements that touch several memberbases would have to agree on an order; there
-- are none.
create function count_created_members() returns trigger language plpgsql as $$
begin
  update memberbases
  set member_count = member_count + created.members
  from (select memberbase_id, count(*) as members from created_members group by memberbase_id) as created
  where memberbases.id = created.memberbase_id;
  return null;
end
$$;

create function count_deleted_members() returns trigger language plpgsql as $$
begin
  insert into deleted_members (member_id) select id from gone_members;
  update memberbases
  set member_count = member_count - gone.members
  from (select memberbase_id, count(*) as members from gone_members group by memberbase_id) as gone
  where memberbases.id = gone.memberbase_id;
  return null;
end
$$;

create trigger members_created after insert on members
  referencing new table as created_members
  for each statement execute function count_created_members();
create trigger members_deleted after delete on members
  referencing old table as gone_members
  for each statement execute function count_deleted_members();

-- What the platform configures, as its last message said. They belong to no organisation: every publisher of
-- this installation offers them. A removed record stays as an empty row with its revision, so that an older
-- message which comes late does not bring it back.
create table loyalty_programs (
  revision bigint not null,
  id uuid not null,
  created_at timestamptz,
  updated_at timestamptz,
  removed_at timestamptz,
  qualifying_threshold int,
  -- Whether it counts for purchases from before the enrolment (contract, section 9); of a deal, before the
  -- clip. A removed one keeps what it said last: its outcomes may still come.
  retroactive boolean not null default false,
  name text,
  currency text,
  reward_config jsonb,
  display_content jsonb,
  constraint loyalty_programs_pkey primary key (id),
  constraint loyalty_programs_whole check (
    removed_at is not null
    or num_nulls(created_at, updated_at, qualifying_threshold, name, reward_config, display_content) = 0
  )
);

create table deals (
  revision bigint not null,
  id uuid not null,
  created_at timestamptz,
  updated_at timestamptz,
  removed_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  retroactive boolean not null default false,
  name text,
  reward_config jsonb,
  display_content jsonb,
  constraint deals_pkey primary key (id),
  constraint deals_whole check (
    removed_at is not null or num_nulls(created_at, updated_at, name, reward_config, display_content) = 0
  )
);

-- What connects a member to the platform: enrolments in loyalty programs (stamp_collections) and saved deals
-- (clips). Every platform record of a transaction carries the ids of its member's, so that the platform can
-- tell a publisher what matched. Only rewards writes the counters, and only while it holds the row. They are
-- written with nearly every stamp, with no index on what changes: the room on the page keeps the updates HOT.
create table stamp_collections (
  created_at timestamptz not null default now(),
  -- Above that of every stamp that there ever was.
  next_position bigint not null default 1,
  id uuid not null,
  organisation_id uuid not null,
  member_id uuid not null,
  loyalty_program_id uuid not null,
  -- Stamps that are neither voided nor redeemed.
  unredeemed_purchases int not null default 0,
  -- The threshold that the counter has reached while an amount or a currency was unknown.
  waiting_threshold int,
  -- Standing redemptions whose cashback is pending. A collection is judged with all of them, whatever batch
  -- it is in; no index that changes with a cashback's state is needed to find them.
  pending_redemptions uuid[] not null default '{}',
  constraint stamp_collections_pkey primary key (id),
  constraint stamp_collections_member_fkey foreign key (member_id) references members (id) on delete cascade,
  -- A member can be enrolled in a program only once; also the look-up by program.
  constraint stamp_collections_member_program_key unique (member_id, loyalty_program_id),
  constraint stamp_collections_unredeemed_range check (unredeemed_purchases >= 0)
) with (fillfactor = 70);
-- Listing a member's in creation order.
create index stamp_collections_member_idx on stamp_collections (member_id, id);

create table clips (
  created_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  member_id uuid not null,
  deal_id uuid not null,
  redeemed_at timestamptz,
  constraint clips_pkey primary key (id),
  constraint clips_member_fkey foreign key (member_id) references members (id) on delete cascade
);
-- At most one open clip of a deal for a member; also how open clips are found.
create unique index clips_open_key on clips (member_id, deal_id) where redeemed_at is null;
-- Listing a member's in creation order.
create index clips_member_idx on clips (member_id, id);

-- Enrolments and clips that were just made. One may count for purchases that were ingested before, of which
-- no message comes any more: ingest publishes their records anew and deletes the row. No foreign keys: what
-- is gone meanwhile has no purchases, and the row goes like any other. Rows live for a moment, so it is
-- vacuumed by their number and not by a share of a table that is mostly empty.
create table new_links (
  made_at timestamptz not null,
  id uuid not null,
  member_id uuid not null,
  -- Of an enrolment; null for a clip.
  loyalty_program_id uuid,
  deal_id uuid,
  constraint new_links_pkey primary key (id),
  constraint new_links_one_target check (num_nonnulls(loyalty_program_id, deal_id) = 1)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The hot table. Its rules:
--
-- * Few indexes, and none on what the lifecycle changes: state, cleared_at, reverted_at, settled_order,
--   amount, currency, statement_descriptor, identifier_8 and updated_at. So a transition stays a HOT update;
--   fillfactor 85 leaves the room for it on the same page.
-- * No foreign keys. Each would fire a trigger a row, and the one to members would also lock, and so rewrite,
--   the member for every transaction. Organisations are never removed and the organisation comes from the
--   caller's token. Ingest looks the member up anyway (contract, section 6: unknown is not_found). A batch
--   that saw a member just before it was deleted may still write its id. So a deletion notes the member in
--   deleted_members, ingest sets member_id to null when every such batch is over, and until then a reader
--   takes a member_id without a member for null.
create table transactions (
  authed_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  organisation_id uuid not null,
  id uuid not null,
  amount bigint,
  cleared_at timestamptz,
  reverted_at timestamptz,
  -- Drawn from the sequence below. Null: authorized, or final when it was first stored, which counts as the
  -- first of all: nothing could be earned with it before.
  settled_order bigint,
  member_id uuid,
  external_id text collate "C" not null,
  state text not null,
  network text not null,
  merchant_id text not null,
  -- Raw SHA-256 over six and eight digits of the BIN (contract, section 7); the second only where eight were
  -- given.
  identifier_6 bytea not null,
  identifier_8 bytea,
  statement_descriptor text,
  currency text,
  constraint transactions_pkey primary key (organisation_id, external_id),
  -- The state is named by its dates, and never both of them (contract, section 6).
  constraint transactions_state_agrees check (
    case state
      when 'authorized' then cleared_at is null and reverted_at is null
      when 'cleared' then cleared_at is not null and reverted_at is null
      when 'reverted' then reverted_at is not null and cleared_at is null
      else false
    end
  ),
  -- Up to 2^53 - 1: every amount is exact in JSON and in JavaScript.
  constraint transactions_amount_range check (amount between 0 and 9007199254740991),
  constraint transactions_identifier_length check (
    octet_length(identifier_6) = 32 and octet_length(identifier_8) = 32
  )
) with (fillfactor = 85);
-- A member's transactions, newest first, and what to unlink when the member is deleted. No transition changes
-- these.
create index transactions_member_idx on transactions (member_id, id);

-- The order in which transactions reached their final state (contract, section 9): money depends on whether a
-- purchase cleared before another was reverted, and must not depend on which message of it is handled first.
--
-- The statement that takes a row from authorized to its final state draws the number while it holds the row's
-- lock (`updateTransactions`). Rewards compares the numbers of one collection's purchases only after locking
-- those that are still authorized: a settling that it does not see has no number yet, and will get a higher
-- one. `cache 1` makes numbers rise over all sessions.
create sequence transactions_settled_order as bigint cache 1;

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

-- How far each ingest partition is applied. Whoever consumes a partition raises its epoch, and the
-- transaction of every batch moves `applied` from where the owner knows it to be; it finds no row if somebody
-- else has raised the epoch or moved it since, and then nothing of the batch is committed. So one row decides
-- who the owner is and what was done, and order and "once" rest on it, whatever the stream, the clocks and
-- the connections do.
create table ingest_positions (
  epoch bigint not null,
  -- Stream sequences: everything up to `applied` is in the tables, and everything up to `published` is also
  -- reported and published. The stream keeps what comes after that.
  applied bigint not null,
  published bigint not null,
  updated_at timestamptz not null default now(),
  partition int not null,
  -- When the stream was made, as it says itself: sequences mean nothing in another one.
  stream_created text not null,
  -- Of the messages in between: the outcomes of those that are not yet reported and published, for whoever
  -- goes on after a crash. JSON, written and read by ingest only.
  unreported text not null default '[]',
  constraint ingest_positions_pkey primary key (partition),
  constraint ingest_positions_order check (published <= applied)
-- Rewritten with every batch: a page with room for several versions keeps each update on it.
) with (fillfactor = 20);

-- Outcomes of ingest batches whose caller was answered before they were known (202). One row for each part
-- that travelled in one stream message, named by the place of its first event: redelivered or published
-- twice, it meets itself. Kept for 7 days.
create table batch_parts (
  created_at timestamptz not null default now(),
  batch_id uuid not null,
  organisation_id uuid not null,
  -- Place in its request of the part's first event.
  first_event int not null,
  -- Events in the whole batch, and in this part.
  batch_events int not null,
  part_events int not null,
  -- Events that would have changed known transactions and did not (contract, section 6): how many in all, and
  -- below the first of them.
  ignored_count int not null default 0,
  -- Arrays of events, in the form of the API.
  rejected jsonb not null default '[]',
  ignored jsonb not null default '[]',
  constraint batch_parts_pkey primary key (batch_id, first_event)
);
-- For the sweep of old ones. Not by the batch id, though it carries a time: the edge makes it.
create index batch_parts_created_idx on batch_parts (created_at);

-- Events that the lifecycle rejected (contract, section 12), written by the database transaction of their batch,
-- whatever its caller was told. Kept for 30 days, and at most 1,000 of an organisation and minute: a caller that sends
-- nothing else must not fill the disk. Each minute with rejections has a row more, which names no event and counts
-- them all. Whoever adds to it holds its lock until the commit, so the bound is exact over all partitions.
--
-- Ids begin with the time of this database, and not with that of the process that wrote them: so one index is the order
-- of a list, finds a span of time, and what is to be swept. A minute's row has the first id of its minute. Few indexes,
-- because each costs a rejected event as much as its row.
create table transaction_rejections (
  organisation_id uuid not null,
  id uuid not null,
  -- Null for an event that was put back from the dead letters: it is of no request.
  batch_id uuid,
  -- As the event named it, whether there is such a member or not. Null: not one of our ids, or deleted since.
  member_id uuid,
  -- Place in its request.
  event_index int,
  -- Of a minute's row: how many there were, also those that are kept. In no index, so that counting stays HOT.
  rejected int,
  external_id text collate "C",
  code text,
  reason text,
  -- What else the answer told: of `identity_mismatch`, and of `invalid_transition`.
  field text,
  from_state text,
  to_state text,
  constraint transaction_rejections_pkey primary key (organisation_id, id),
  constraint transaction_rejections_event_or_minute check ((rejected is null) = (external_id is not null))
);
create index transaction_rejections_external_id_idx on transaction_rejections (organisation_id, external_id, id)
  where external_id is not null;
-- Member first, because it also finds what to unlink when a member is deleted.
create index transaction_rejections_member_idx on transaction_rejections (member_id, organisation_id, id)
  where member_id is not null;

-- What rewards keeps (contract, section 9): stamps, the redemptions that take them, and cashbacks. Only it
-- writes here, stamps and redemptions only while it holds the stamp collection's row.

-- Stamps. All indexes are on columns that never change, so that voiding and redeeming, which comes to nearly
-- every stamp once, stays a HOT update. Two look-ups would seem to want an index that changes with the row,
-- and need none:
--
-- * A collection's unredeemed stamps are nearly always its newest. They are read from the highest position
--   downwards and the counter says when all are found.
-- * The stamps of a redemption are named by it.
--
-- No foreign key to transactions, which has none for its own reasons. Organisation and external_id are kept
-- to find the row by its key.
create table qualifying_purchases (
  position bigint not null,
  created_at timestamptz not null,
  id uuid not null,
  organisation_id uuid not null,
  stamp_collection_id uuid not null,
  transaction_id uuid not null,
  voided_at timestamptz,
  -- As the outcome said, in minor units; so is the currency.
  purchase_amount bigint,
  -- Who holds it. A voided stamp goes on naming the redemption that held it.
  redemption_id uuid,
  -- The transaction's external_id.
  transaction_ref text collate "C" not null,
  currency text,
  constraint qualifying_purchases_pkey primary key (id),
  -- A transaction has one stamp in a collection, voided or not. Transaction first: a settlement asks which
  -- stamps there are.
  constraint qualifying_purchases_transaction_key unique (transaction_id, stamp_collection_id),
  -- Also serves the deletion of a collection.
  constraint qualifying_purchases_position_key unique (stamp_collection_id, position),
  constraint qualifying_purchases_amount_range check (purchase_amount between 0 and 9007199254740991)
) with (fillfactor = 80);

create table redemptions (
  created_at timestamptz not null,
  id uuid not null,
  organisation_id uuid not null,
  stamp_collection_id uuid not null,
  -- That of its newest stamp, and of its cashback.
  transaction_id uuid not null,
  undone_at timestamptz,
  -- What it took, oldest first. What it still holds are those of them that name it and are not voided.
  stamp_ids uuid[] not null,
  constraint redemptions_pkey primary key (id)
);
-- Listing a collection's in creation order, and its deletion.
create index redemptions_collection_idx on redemptions (stamp_collection_id, id);

-- Stamps and redemptions go with their collection, whoever deletes it. No foreign keys: each would look the
-- collection up for every new row, which is written under that collection's lock. A deletion waits for this
-- lock, and each statement here sees what was committed meanwhile. Of the owner, because who deletes a member
-- has no right to write these tables.
create function delete_collected() returns trigger language plpgsql
  security definer set search_path = public, pg_temp as $$
begin
  delete from qualifying_purchases where stamp_collection_id in (select id from gone_collections);
  delete from redemptions where stamp_collection_id in (select id from gone_collections);
  return null;
end
$$;

create trigger stamp_collections_deleted after delete on stamp_collections
  referencing old table as gone_collections
  for each statement execute function delete_collected();

-- What members got, or will get once their transaction clears. The member may be gone; what was paid stays. No
-- foreign key to organisations, whose row every batch would lock and so rewrite: a cashback's is that of its
-- clip or collection, and organisations are never removed.
create table cashbacks (
  amount bigint not null,
  created_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  transaction_id uuid not null,
  cleared_at timestamptz,
  reverted_at timestamptz,
  member_id uuid,
  -- Of a clip: clip_id and deal_id. Of a redemption: the other three.
  clip_id uuid,
  deal_id uuid,
  loyalty_program_id uuid,
  stamp_collection_id uuid,
  redemption_id uuid,
  -- The transaction's external_id.
  transaction_ref text collate "C" not null,
  state text not null,
  currency text not null,
  constraint cashbacks_pkey primary key (id),
  constraint cashbacks_amount_range check (amount between 0 and 9007199254740991),
  constraint cashbacks_state_agrees check (
    case state
      when 'pending' then cleared_at is null and reverted_at is null
      when 'cleared' then cleared_at is not null and reverted_at is null
      when 'reverted' then reverted_at is not null
      else false
    end
  ),
  constraint cashbacks_one_source check (
    (
      num_nulls(clip_id, deal_id) = 0
      and num_nonnulls(loyalty_program_id, stamp_collection_id, redemption_id) = 0
    ) or (
      num_nonnulls(clip_id, deal_id) = 0
      and num_nulls(loyalty_program_id, stamp_collection_id, redemption_id) = 0
    )
  )
-- Each settles once; no index holds what that changes.
) with (fillfactor = 85);
-- Listing a member's in creation order.
create index cashbacks_member_idx on cashbacks (member_id, id);
-- What a transaction has earned, and the cashbacks that settle with it.
create index cashbacks_transaction_idx on cashbacks (transaction_id);
-- One for a redemption and for a clip: found by it, and never a second one whatever a writer forgets.
create unique index cashbacks_redemption_key on cashbacks (redemption_id) where redemption_id is not null;
create unique index cashbacks_clip_key on cashbacks (clip_id) where clip_id is not null;

-- What webhooks are told (contract, section 10), in the order in which it happened to each collection and
-- clip: its row is locked when the number is given. Numbers are given before the commit, so a reader may see
-- one before a lower one. The table is the outbox: a webhook's backlog is a place in it and no rows of its
-- own, however long it is.
create table events (
  sequence bigint generated always as identity,
  -- When it happened, as webhooks are told: of a process, whose clock may be wrong.
  at timestamptz not null,
  -- When the database wrote it, by its own clock: what events are swept by.
  written_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  -- Null for an event about a transaction that is not stored.
  transaction_id uuid,
  type text collate "C" not null,
  -- JSON, as text: what a webhook gets and what is signed are the same bytes however often it is sent.
  body text not null,
  -- The span that it is from (W3C Trace Context): its deliveries go on in the same trace. Null where tracing
  -- is off.
  traceparent text,
  constraint events_pkey primary key (id),
  constraint events_sequence_key unique (sequence)
);
-- A webhook reads its organisation's events onwards from its cursor, each of its types by itself: those of other
-- types that lie between cost it nothing. A replay looks for those of a time.
create index events_organisation_type_idx on events (organisation_id, type, sequence);
create index events_organisation_at_idx on events (organisation_id, at);
-- For the sweep of old ones.
create index events_written_idx on events (written_at);

-- Up to where events are settled: all with a number up to this are committed or gone, and their webhooks were
-- told. One row, made here.
create table webhook_horizon (
  sequence bigint not null,
  -- The highest number that was ever swept: who has read up to a lower one may have missed something.
  swept bigint not null default 0,
  is_only boolean not null default true,
  constraint webhook_horizon_pkey primary key (is_only),
  constraint webhook_horizon_one_row check (is_only)
);
insert into webhook_horizon (sequence) values (0);

-- Where events are delivered to. Deleting a webhook removes the row with its secrets. A success after a failure
-- changes it, and the first failure after a success: the room on the page is for that.
create table webhooks (
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null,
  organisation_id uuid not null,
  failing_since timestamptz,
  state text not null default 'enabled',
  url text not null,
  description text not null,
  events text[] not null,
  constraint webhooks_pkey primary key (id),
  constraint webhooks_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint webhooks_state_known check (state in ('enabled', 'paused', 'disabled')),
  constraint webhooks_events_some check (cardinality(events) > 0)
) with (fillfactor = 70);
-- Listing by organisation in creation order.
create index webhooks_organisation_id_idx on webhooks (organisation_id, id);

-- What webhooks.events says, the other way round: an event finds those that want its type, and looks at none
-- of the others.
create table webhook_subscriptions (
  organisation_id uuid not null,
  webhook_id uuid not null,
  type text collate "C" not null,
  constraint webhook_subscriptions_pkey primary key (organisation_id, type, webhook_id),
  constraint webhook_subscriptions_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
);
-- Those of one webhook.
create index webhook_subscriptions_webhook_idx on webhook_subscriptions (webhook_id);

-- By a trigger, because webhooks are also changed by hand, and a webhook without its subscription would get
-- nothing. It looks anew after the webhook's row is locked, so it sees what a change before it has left.
create function keep_webhook_subscriptions() returns trigger language plpgsql as $$
begin
  delete from webhook_subscriptions where webhook_id = new.id and type <> all (new.events);
  insert into webhook_subscriptions (organisation_id, webhook_id, type)
  select new.organisation_id, new.id, wanted.type from unnest(new.events) as wanted (type)
  on conflict do nothing;
  return null;
end
$$;

create trigger webhooks_subscribed after insert or update of events on webhooks
  for each row execute function keep_webhook_subscriptions();

-- The secrets that sign a webhook's deliveries: one that stays, and after a rotation the ones before it,
-- until they expire. Sealed with AES-256-GCM under the key named by key_id; the row's id is authenticated
-- with them, so that a sealed secret cannot be moved to another webhook.
create table webhook_secrets (
  created_at timestamptz not null default now(),
  id uuid not null,
  webhook_id uuid not null,
  expires_at timestamptz,
  key_id text not null,
  sealed bytea not null,
  constraint webhook_secrets_pkey primary key (id),
  constraint webhook_secrets_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
);
-- One that stays.
create unique index webhook_secrets_current_key on webhook_secrets (webhook_id) where expires_at is null;
-- All that sign, and the deletion of a webhook.
create index webhook_secrets_webhook_idx on webhook_secrets (webhook_id);

-- How far each webhook is, and which process makes its deliveries. Its row is locked whenever deliveries are
-- made of events, settled or replayed; who needs the webhook's row too locks that first.
create table webhook_queues (
  -- Events up to this one are in deliveries that have a row, or are of no type that it wants.
  cursor bigint not null,
  -- Up to this one there is something for it.
  announced bigint not null,
  -- Deliveries have places in the order in which they are made, and parts of a place where one was split: the
  -- highest there is, and the one up to which everything is delivered or failed. What is pending is found
  -- between them.
  last_place bigint not null default 0,
  done_place bigint not null default 0,
  webhook_id uuid not null,
  organisation_id uuid not null,
  last_part int not null default 0,
  done_part int not null default 0,
  -- When the deliveries in taken were made.
  taken_at timestamptz,
  last_success_at timestamptz,
  -- When it is to be taken up; null: there is nothing to do, or it is not enabled.
  due_at timestamptz,
  lease_until timestamptz,
  owner uuid,
  -- As the webhook's state says; here, because what depends on it must see it under this row's lock.
  enabled boolean not null,
  -- Deliveries that were sent or are about to be, and get their rows with what came of it: up to which event each
  -- goes, in order from the cursor on. Their places follow done_place. Whoever finds them here and did not take
  -- them in this turn makes rows of them first, with the same events and ids. Null: there are none.
  taken bigint[],
  constraint webhook_queues_pkey primary key (webhook_id),
  constraint webhook_queues_taken_at_set check ((taken_at is null) = (taken is null)),
  constraint webhook_queues_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
) with (fillfactor = 50);
-- What is to be taken up, the longest due first.
create index webhook_queues_due_idx on webhook_queues (due_at) where due_at is not null;

-- Requests to webhooks, each with the same events at every attempt. That of a webhook that is up is written when it
-- is answered, delivered; what is pending failed, was split off or replayed, or its process died. No foreign key: it
-- would write to the webhook's row with every delivery, and deleting a webhook would delete all of its past.
-- What it leaves is not reachable and is swept.
create table webhook_deliveries (
  created_at timestamptz not null,
  -- The `webhook-id`.
  id uuid not null,
  webhook_id uuid not null,
  organisation_id uuid not null,
  -- 1 and up for the single events of a delivery that was split, which stand in its place.
  part int not null default 0,
  attempts int not null default 0,
  -- Failed attempts, of which the schedule follows, and those of them that were refused.
  failures int not null default 0,
  refusals int not null default 0,
  last_attempt_at timestamptz,
  -- Null: as soon as it is its turn.
  next_attempt_at timestamptz,
  -- When it was parked. Set for failed ones only, which are few and have an index.
  failed_at timestamptz,
  replayed_at timestamptz,
  -- The delivery whose place it took with one of its events; null for all but parts.
  split_from uuid,
  -- Null for a test, which stands in no order.
  place bigint,
  -- Of the last attempt.
  status int,
  duration_ms int,
  state text not null default 'pending',
  error_class text,
  -- In order.
  event_sequences bigint[] not null,
  answer text,
  constraint webhook_deliveries_pkey primary key (id),
  constraint webhook_deliveries_state_known check (state in ('pending', 'delivered', 'failed', 'split')),
  constraint webhook_deliveries_failed_at_set check ((failed_at is not null) = (state = 'failed'))
) with (fillfactor = 50);
-- Listing in creation order, what is next, and what failed. Nearly all are delivered when they are written, and
-- stand in the first of these alone.
create index webhook_deliveries_webhook_idx on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_place_idx on webhook_deliveries (webhook_id, place, part) where state = 'pending';
create index webhook_deliveries_failed_idx on webhook_deliveries (webhook_id, id) where failed_at is not null;

-- The attempts of a delivery of which one failed: each failure, and the success after them. What arrives at once has none
-- here, its own row says it. They go with their delivery; no foreign key, or the sweep would look each delivery up here.
create table webhook_attempts (
  at timestamptz not null,
  delivery_id uuid not null,
  -- From 1 on.
  number int not null,
  duration_ms int not null,
  status int,
  error_class text,
  -- The first KiB of it.
  answer text,
  constraint webhook_attempts_pkey primary key (delivery_id, number)
);
