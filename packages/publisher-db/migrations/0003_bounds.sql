-- What an organisation may have so many of is counted before one more is made. Revoked and expired tokens and deleted
-- memberbases stay, and there may be any number of them: each index leads to what counts alone. Neither has a column that
-- is written often.
drop index concurrently if exists api_tokens_active_idx;
create index concurrently api_tokens_active_idx on api_tokens (organisation_id, expires_at) where revoked_at is null;
drop index concurrently if exists memberbases_live_idx;
create index concurrently memberbases_live_idx on memberbases (organisation_id) where deleted_at is null;
