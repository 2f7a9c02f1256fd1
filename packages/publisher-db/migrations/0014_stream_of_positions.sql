-- The message at which a partition stands, told by more than its sequence: a NATS that is restored from an older copy uses
-- sequences again, and may have passed the position before anybody looks.
--
-- When the stream stored the message `stored_sequence`, milliseconds since 1970 by the clock of NATS. It says something while
-- that is `applied`; a version before this one moves `applied` alone.
alter table ingest_positions add column stored_sequence bigint;
alter table ingest_positions add column stored_at double precision;
