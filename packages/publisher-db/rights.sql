-- What the role of each service may do with the publisher's tables, and nothing else: what its statements need. Who may do
-- what, and why, is in docs/operations/roles.md; test/flow/security holds this file, the code and that table together.
--
-- `stampede migrate` runs it as stampede_owner behind the migrations, each time, after everything that the roles had is
-- revoked, and in one transaction with that: what is not here is open to nobody. A new table has its line here.

-- Where a role only locks rows (`for update`), PostgreSQL wants UPDATE on some column: it has the one that says least.

grant select on public.schema_migrations to stampede_edge, stampede_ingest, stampede_rewards, stampede_webhooks,
  stampede_console;

-- edge: tokens, members, enrolments, webhooks; reads transactions and what came of them, and the events that tell of it. It
-- seals webhook secrets and cannot read them.
grant select, insert, update (last_used_at, revoked_at) on public.api_tokens to stampede_edge;
grant select on public.cashbacks to stampede_edge;
grant select, insert, update (created_at) on public.clips to stampede_edge;
grant select on public.deals to stampede_edge;
grant insert on public.deleted_members to stampede_edge;
grant select (sequence, at, written_at, id, organisation_id, transaction_id, member_id, type, body) on public.events to stampede_edge;
grant select, insert, update on public.idempotency_keys to stampede_edge;
grant select on public.ignored_fields to stampede_edge;
grant select on public.ingest_gaps to stampede_edge;
grant select (partition, applied, published, stream_created) on public.ingest_positions to stampede_edge;
grant select on public.installation to stampede_edge;
grant select on public.loyalty_programs to stampede_edge;
grant select, insert, update (member_count, updated_at, deleted_at) on public.memberbases to stampede_edge;
grant select, insert, update, delete on public.members to stampede_edge;
grant select, insert on public.new_links to stampede_edge;
grant select on public.qualifying_purchases to stampede_edge;
grant select on public.redemptions to stampede_edge;
grant select, insert on public.stamp_collections to stampede_edge;
grant select on public.transaction_rejections to stampede_edge;
grant select on public.transactions to stampede_edge;
grant select on public.webhook_announcements to stampede_edge;
grant select on public.webhook_attempts to stampede_edge;
grant select, insert, update on public.webhook_deliveries to stampede_edge;
grant select on public.event_eras to stampede_edge;
grant select on public.webhook_horizon to stampede_edge;
grant select, insert, update on public.webhook_queues to stampede_edge;
grant select, insert, update (upto_sequence, upto_place, after_delivery) on public.webhook_replays to stampede_edge;
grant select (webhook_id, expires_at), insert, update (expires_at), delete on public.webhook_secrets to stampede_edge;
grant select (webhook_id, type), insert, delete on public.webhook_subscriptions to stampede_edge;
grant select, insert, update, delete on public.webhooks to stampede_edge;

-- ingest: transactions, and the links of members to them. No token, no webhook, no member's attributes, no kept answer;
-- of events it adds some and reads none.
grant select (id, organisation_id, transaction_id, transaction_ref, redemption_id, clip_id, member_id, state, created_at, cleared_at, reverted_at), update (created_at), delete on public.cashbacks to stampede_ingest;
grant select (id, member_id, deal_id, redeemed_at, created_at), update (created_at), delete on public.clips to stampede_ingest;
-- It removes old lines of the console's audit, which the console itself may not.
grant select (id, at), delete on public.console_audit to stampede_ingest;
grant select (id, retroactive, retroactive_history) on public.deals to stampede_ingest;
grant select, insert, update (due_at, changed_at), delete on public.deleted_members to stampede_ingest;
grant insert on public.events to stampede_ingest;
grant select (organisation_id, route, key, created_at), update (created_at), delete on public.idempotency_keys to stampede_ingest;
grant select, insert, update (counted), delete on public.ignored_fields to stampede_ingest;
grant select (noticed_at), insert, delete on public.ingest_gaps to stampede_ingest;
grant select, insert, update on public.ingest_positions to stampede_ingest;
grant select on public.installation to stampede_ingest;
grant select (id, retroactive, retroactive_history) on public.loyalty_programs to stampede_ingest;
grant select, update (member_count) on public.memberbases to stampede_ingest;
grant select (id, organisation_id, memberbase_id, ref, linked), update (updated_at), delete on public.members to stampede_ingest;
grant select, update (made_at), delete on public.new_links to stampede_ingest;
grant select (id, member_id, loyalty_program_id, created_at, pending_redemptions), update (created_at), delete on public.stamp_collections to stampede_ingest;
grant select (id, organisation_id, stamp_collection_id, transaction_id, transaction_ref, redemption_id, created_at, voided_at), delete on public.qualifying_purchases to stampede_ingest;
grant select (id, stamp_collection_id, stamp_ids), delete on public.redemptions to stampede_ingest;
grant select (place, kept_at), insert (organisation_id, member_id, external_id, event), delete on public.replay_rejections to stampede_ingest;
grant select, insert, update (rejected), delete on public.transaction_rejections to stampede_ingest;
grant select, update on public.transaction_retention to stampede_ingest;
grant select, insert, update, delete on public.transactions to stampede_ingest;
-- A sequence: UPDATE is what drawing and raising it wants; a replay raises it from where it is.
grant select, update on sequence public.transactions_settled_order to stampede_ingest;
-- The transactions whose outcomes are still to be applied.
grant select (transaction_id) on public.early_outcomes to stampede_ingest;

-- rewards: stamps, redemptions, cashbacks, and the configuration that they follow. Of a transaction it reads what it
-- rewards: no identifier, no merchant.
grant select, insert, update on public.cashbacks to stampede_rewards;
grant select (partition, applied, replay_through, server_started) on public.ingest_positions to stampede_rewards;
grant select (id, made_at, is_told_again), insert, update (made_at) on public.new_links to stampede_rewards;
grant select, update (redeemed_at) on public.clips to stampede_rewards;
grant select, insert, delete on public.deal_candidates to stampede_rewards;
grant select, insert, update on public.deals to stampede_rewards;
grant select, insert, delete on public.early_outcomes to stampede_rewards;
grant insert on public.events to stampede_rewards;
grant select, insert, update (since, last_link), delete on public.late_retroactive to stampede_rewards;
grant select, insert, update on public.loyalty_programs to stampede_rewards;
grant select, insert, update (redemption_id, voided_at) on public.qualifying_purchases to stampede_rewards;
grant select, insert, update (undone_at) on public.redemptions to stampede_rewards;
grant select, insert, update on public.stream_places to stampede_rewards;
grant select, update (unredeemed_purchases, next_position, threshold, waiting_threshold, pending_redemptions) on public.stamp_collections to stampede_rewards;
grant select (id, organisation_id, external_id, member_id, amount, currency, state, authed_at, settled_order), update (updated_at) on public.transactions to stampede_rewards;

-- webhooks: events, deliveries, and the secrets that requests are signed with.
grant select, insert, update (at), delete on public.events to stampede_webhooks;
-- Whom an event tells of.
grant select (id, memberbase_id, ref) on public.members to stampede_webhooks;
grant select (id, deleted_at) on public.memberbases to stampede_webhooks;
grant select, insert, update, delete on public.webhook_announcements to stampede_webhooks;
grant select (delivery_id, number), insert, delete on public.webhook_attempts to stampede_webhooks;
grant select, insert, update, delete on public.webhook_deliveries to stampede_webhooks;
grant select, update (sequence, swept, tellings) on public.webhook_horizon to stampede_webhooks;
grant select, update on public.webhook_queues to stampede_webhooks;
grant select, update, delete on public.webhook_replays to stampede_webhooks;
grant select on public.webhook_secrets to stampede_webhooks;
grant select, update, delete on public.webhook_starts to stampede_webhooks;
grant select on public.webhook_subscribers to stampede_webhooks;
grant select, update (failing_since, failing_ms, last_failure_at, state, updated_at) on public.webhooks to stampede_webhooks;

-- console: its own tables. Of the publisher's it reads which organisation each of its tokens is of, whether it still counts, and
-- that one's name; all else it asks the API for, with those tokens.
grant select (id, organisation_id, access, secret_hash, expires_at, revoked_at) on public.api_tokens to stampede_console;
-- The audit it adds to, with the time and number that the server gives; it changes and removes nothing there.
grant select, insert (user_name, role, organisation_id, action, subject, reason, changes, joined) on public.console_audit to stampede_console;
grant select, insert (line, joined, action, outcome, subject) on public.console_audit_steps to stampede_console;
grant select, insert, update (used_at), delete on public.console_links to stampede_console;
grant select, insert, delete on public.console_sessions to stampede_console;
grant select (id, name) on public.organisations to stampede_console;
