-- What is removed after a time is found by when the database wrote it, and by nothing that carries the clock of a process:
-- not by what an event says of itself, and not by a batch id, which the edge makes. The time is the same for all rows of a
-- statement, so that an index takes six bytes a row (deduplication).
drop index concurrently if exists events_written_idx;
create index concurrently events_written_idx on events (written_at);
drop index concurrently if exists batch_parts_created_idx;
create index concurrently batch_parts_created_idx on batch_parts (created_at);
