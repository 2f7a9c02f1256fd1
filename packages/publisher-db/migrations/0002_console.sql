-- The console's own tables: who may look, and who looked at what. Nothing else in the database is written by it.
--
-- * Of a secret there is its SHA-256, as of API tokens.
-- * A user is a name that a proxy has vouched for, or the name in the link that let somebody in.
-- * No member is named but by id: when a member is deleted, nothing here says who that was.

-- Links that let somebody in once, made by `npm start`, by `stampede console link`, or by the console as it starts.
create table console_links (
  expires_at timestamptz not null,
  -- Support reads one organisation, and this is it; the other roles see all that the console has tokens of.
  organisation_id uuid,
  used_at timestamptz,
  secret_hash bytea not null,
  user_name text not null,
  role text not null,
  constraint console_links_pkey primary key (secret_hash),
  constraint console_links_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint console_links_secret_hash_length check (octet_length(secret_hash) = 32),
  constraint console_links_role_known check (role in ('support', 'operator', 'administrator')),
  constraint console_links_support_has_one check ((role = 'support') = (organisation_id is not null))
);

-- What a used link became: a cookie in one browser, until it expires or is closed.
create table console_sessions (
  expires_at timestamptz not null,
  organisation_id uuid,
  secret_hash bytea not null,
  user_name text not null,
  role text not null,
  constraint console_sessions_pkey primary key (secret_hash),
  constraint console_sessions_organisation_fkey foreign key (organisation_id) references organisations (id),
  constraint console_sessions_secret_hash_length check (octet_length(secret_hash) = 32),
  constraint console_sessions_role_known check (role in ('support', 'operator', 'administrator')),
  constraint console_sessions_support_has_one check ((role = 'support') = (organisation_id is not null))
);

-- Every look-up of a member and every change. A line is committed before the request goes on, and completed after it: a
-- line without an outcome is of a request whose end nobody saw, and which may have taken effect.
create table console_audit (
  at timestamptz not null default now(),
  id bigint not null generated always as identity,
  organisation_id uuid,
  completed_at timestamptz,
  user_name text not null,
  role text not null,
  -- A route of the console, such as publisher.v1/webhook/update.
  action text not null,
  -- Ids of ours and of the integrator's transactions; never a member's ref.
  subject text,
  -- Asked for with every change.
  reason text,
  -- `ok`, or the code of the error that was the answer.
  outcome text,
  -- Later look-ups of the same subject by the same user that this line tells of too, because a page asks several at once: how
  -- many of each action had which outcome, {"explain": {"ok": 2, "open": 1}}; "open" has no outcome yet. Null in a line that none
  -- may join: of a change, and of a look-up that says only in the end whom it was about.
  joined jsonb,
  constraint console_audit_pkey primary key (id),
  constraint console_audit_completed check ((completed_at is not null) = (outcome is not null)),
  constraint console_audit_change_is_alone check (reason is null or joined is null)
);
-- What those who are no administrators see of it, newest first.
create index console_audit_user_idx on console_audit (user_name, id);
-- What is kept long enough is removed by its age.
create index console_audit_at_idx on console_audit (at);
