-- Where events are delivered to. Deleting a webhook removes the row with its secrets.
create table webhooks (
  id uuid not null,
  organisation_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  failing_since timestamptz,
  last_success_at timestamptz,
  state text not null default 'enabled',
  url text not null,
  description text not null,
  events text[] not null,
  constraint webhooks_pkey primary key (id),
  constraint webhooks_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint webhooks_state_known check (state in ('enabled', 'paused', 'disabled')),
  constraint webhooks_events_some check (cardinality(events) > 0)
);
-- Listing by organisation in creation order.
create index webhooks_organisation_id_idx on webhooks (organisation_id, id);

-- The secrets that sign a webhook's deliveries: one that stays, and after a rotation the ones before it, until they
-- expire. Sealed with AES-256-GCM under the key named by key_id; the row's id is authenticated with them, so that a
-- sealed secret cannot be moved to another webhook.
create table webhook_secrets (
  id uuid not null,
  webhook_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  key_id text not null,
  sealed bytea not null,
  constraint webhook_secrets_pkey primary key (id),
  constraint webhook_secrets_webhook_fkey foreign key (webhook_id) references webhooks (id) on delete cascade
);
create unique index webhook_secrets_current_key on webhook_secrets (webhook_id) where expires_at is null;
create index webhook_secrets_webhook_idx on webhook_secrets (webhook_id);
