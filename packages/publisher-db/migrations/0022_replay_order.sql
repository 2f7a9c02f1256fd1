-- Messages that are read again after a restore settle transactions in the order of the log (decision 20): by the time that the
-- stream stored them, in microseconds since 1970, counting on where they lie closer than they have events. Above all numbers that
-- the partition's messages have given so, written with their batch: whoever goes on with the replay gives the same numbers. Null:
-- its messages draw their numbers from the sequence, as new ones do.
alter table ingest_positions add column replay_order bigint;
