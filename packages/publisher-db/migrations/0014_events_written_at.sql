-- When the database wrote an event, by its own clock: what events are swept by. `at` stays what happened when, as webhooks
-- are told, and is of a process, whose clock may be wrong. Rows that are there count from now.
alter table events add column written_at timestamptz not null default now();
