-- incompatible: earlier edge and ingest processes name this table and this column; stop all services, migrate, start the new version
--
-- Results of batches whose ids did not name their places, and outcomes of messages that were applied and not published: since
-- 0012 nothing is kept of either.
drop table batch_parts;
alter table ingest_positions drop column unreported;
