-- How far each ingest partition is applied. Whoever consumes a partition raises its epoch, and the transaction of every
-- batch moves `applied` from where the owner knows it to be; it finds no row if somebody else has raised the epoch or
-- moved it since, and then nothing of the batch is committed. So one row decides who the owner is and what was done, and
-- order and "once" rest on it, whatever the stream, the clocks and the connections do.
create table ingest_positions (
  partition int not null,
  epoch bigint not null,
  -- Stream sequences: everything up to `applied` is in the tables, and everything up to `published` is also reported and
  -- published. The stream keeps what comes after that.
  applied bigint not null,
  published bigint not null,
  -- When the stream was made, as it says itself: sequences mean nothing in another one.
  stream_created text not null,
  -- Of the messages in between: the outcomes of those that are not yet reported and published, for whoever goes on after
  -- a crash. JSON, written and read by ingest only.
  unreported text not null default '[]',
  updated_at timestamptz not null default now(),
  constraint ingest_positions_pkey primary key (partition),
  constraint ingest_positions_order check (published <= applied)
-- Rewritten with every batch: a page with room for several versions keeps each update on it.
) with (fillfactor = 20);

-- What `written_by` told, the position tells now.
-- incompatible: stop all ingest processes, delete the INGEST streams once they are empty, migrate, start this release
alter table transactions drop column written_by;
