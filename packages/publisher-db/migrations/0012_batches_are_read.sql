-- The message at which a partition stands, told by more than its sequence: a NATS that is restored from an older copy uses
-- sequences again, and may have passed the position before anybody looks.
--
-- When the stream stored the message `stored_sequence`, milliseconds since 1970 by the clock of NATS. It says something while
-- that is `applied`; a version before this one moves `applied` alone.
alter table ingest_positions add column stored_sequence bigint;
alter table ingest_positions add column stored_at double precision;

-- Where a partition's stream was another one than its position, or not all of it: made anew, restored from an older copy,
-- or purged by somebody. Of the stream that was made at `stream_created`, everything up to `applied` was applied; what came
-- behind that was lost, up to `lost_through` or (null) to its end. So `transaction.batch/get` can say what became of a batch
-- that lay there (contract, section 5). A row is of use for as long as the ids of batches are answered, and they are few.
create table ingest_gaps (
  noticed_at timestamptz not null default clock_timestamp(),
  applied bigint not null,
  lost_through bigint,
  partition int not null,
  stream_created text not null,
  constraint ingest_gaps_pkey primary key (partition, noticed_at)
);

-- Events of which something was not taken (contract, section 6), written as `transaction_rejections` are, by the database
-- transaction of their batch, for `transaction.batch/get`. Kept for 7 days, and at most 1,000 of an organisation and minute:
-- `counted` is a minute's row, as `rejected` is there.
create table ignored_fields (
  organisation_id uuid not null,
  id uuid not null,
  -- Null for an event that was put back from the dead letters: it is of no request.
  batch_id uuid,
  event_index int,
  counted int,
  external_id text collate "C",
  fields jsonb,
  constraint ignored_fields_pkey primary key (organisation_id, id),
  constraint ignored_fields_event_or_minute check ((counted is null) = (external_id is not null))
);
create index ignored_fields_batch_idx on ignored_fields (batch_id) where batch_id is not null;
