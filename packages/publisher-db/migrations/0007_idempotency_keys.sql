-- The first answer to a request with an idempotency key, for 24 hours (contract, section 5). Written in the transaction
-- that does the work: there is no state in between that a crash could leave behind.
create table idempotency_keys (
  organisation_id uuid not null,
  created_at timestamptz not null default now(),
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
