-- A trace finds what was ignored of its event. At most 1,000 rows of an organisation and minute are written, so the index costs
-- ingestion nothing that grows.
drop index concurrently if exists ignored_fields_key_idx;
create index concurrently ignored_fields_key_idx on ignored_fields (organisation_id, external_id, id)
  where external_id is not null;
