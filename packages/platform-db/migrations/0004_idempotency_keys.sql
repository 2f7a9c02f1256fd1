-- The first answer to an upsert with an idempotency key that made a record, for 24 hours (contract, section 8): the same table as
-- the publisher's, which is another system's. A retailer's token is not in it.
create table platform.idempotency_keys (
  -- The platform has one owner: always the same. The code that it shares with the publisher asks for it.
  organisation_id uuid not null,
  created_at timestamptz not null default now(),
  status int not null,
  route text collate "C" not null,
  key text collate "C" not null,
  -- SHA-256 of the request body in a canonical form: another body under the same key is a conflict.
  request_hash bytea not null,
  key_id text,
  answer bytea not null,
  constraint idempotency_keys_pkey primary key (organisation_id, route, key),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
-- For the sweep of old ones.
create index idempotency_keys_created_idx on platform.idempotency_keys (created_at);
