-- Enrolments and clips are made at the moment that their answer tells, to the millisecond. By that moment ingest judges whether a purchase
-- lies within the minute before (contract, section 9).
alter table stamp_collections alter column created_at set default date_trunc('milliseconds', now());
alter table clips alter column created_at set default date_trunc('milliseconds', now());
