-- What the reward engine keeps (contract, section 9): stamps, the redemptions that take them, and the events that tell of
-- them and of cashbacks. Only it writes here, and only while it holds the stamp collection's row.

alter table stamp_collections
  -- Above that of every stamp that there ever was.
  add column next_position bigint not null default 1,
  -- The threshold that the counter has reached while an amount or a currency was unknown.
  add column waiting_threshold int,
  -- Written with nearly every stamp, with no index on what changes: the room keeps the updates HOT.
  set (fillfactor = 70);

-- Stamps. All indexes are on columns that never change, so that voiding and redeeming, which comes to nearly every stamp
-- once, stays a HOT update. Two look-ups would seem to want an index that changes with the row, and need none:
--
-- * A collection's unredeemed stamps are nearly always its newest. They are read from the highest position downwards and
--   the counter says when all are found.
-- * The stamps of a redemption are named by it.
--
-- No foreign key to transactions, for the reasons in 0001. Organisation and external_id are kept to find the row by its key.
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
  constraint qualifying_purchases_collection_fkey foreign key (stamp_collection_id)
    references stamp_collections (id) on delete cascade,
  -- A transaction has one stamp in a collection, voided or not. Transaction first: a settlement asks which stamps there are.
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
  constraint redemptions_pkey primary key (id),
  constraint redemptions_collection_fkey foreign key (stamp_collection_id)
    references stamp_collections (id) on delete cascade
);
create index redemptions_collection_idx on redemptions (stamp_collection_id);

-- One cashback for a redemption and for a clip: found by it, and never a second one whatever a writer forgets.
create unique index cashbacks_redemption_key on cashbacks (redemption_id) where redemption_id is not null;
create unique index cashbacks_clip_key on cashbacks (clip_id) where clip_id is not null;
-- Each settles once.
alter table cashbacks set (fillfactor = 85);

-- What webhooks are told, in the order in which it happened to each collection and clip: its row is locked when the number
-- is given. Numbers are given before the commit, so a reader may see one before a lower one.
create table events (
  sequence bigint generated always as identity,
  at timestamptz not null,
  id uuid not null,
  organisation_id uuid not null,
  -- Null for an event about a transaction that is not stored.
  transaction_id uuid,
  type text not null,
  -- JSON, as text: what a webhook gets and what is signed are the same bytes however often it is sent.
  body text not null,
  constraint events_pkey primary key (id),
  constraint events_sequence_key unique (sequence)
);
