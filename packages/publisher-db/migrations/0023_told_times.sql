-- Enrolments and clips are made at the moment that their answer tells, which has milliseconds: whether a purchase was within the minute
-- before (contract, section 9) is asked of that moment.
alter table stamp_collections alter column created_at set default date_trunc('milliseconds', now());
alter table clips alter column created_at set default date_trunc('milliseconds', now());
