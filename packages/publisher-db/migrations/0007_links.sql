-- What `retroactive` was from when on, so that a link counts by the rules that were in force when its purchase was
-- authorized: [{"since": microseconds since 1970, "retroactive": boolean}], the oldest first, whose first holds for all time
-- before, too. Null: what `retroactive` says holds for all time. A removed one keeps what it said last.
alter table loyalty_programs add column retroactive_history jsonb;
alter table deals add column retroactive_history jsonb;
