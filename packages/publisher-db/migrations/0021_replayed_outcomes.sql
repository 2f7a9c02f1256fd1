-- What the partition's stream held when it was taken over first in the server that `server_started` names; later owners leave it as it
-- is. Null: the stream is another one than that of the place, or there was no place yet. Where the database was restored, outcomes up to
-- here were decided before, and are decided again as of the time at which their stream stored them; settlements wait until they are done.
alter table stream_places add column replay_through bigint;
