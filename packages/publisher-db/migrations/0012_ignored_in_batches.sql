-- What a batch's events would have changed in known transactions and did not (contract, section 6): the first of each part in
-- the form of the API, and how many there were in all.
alter table batch_parts
  add column ignored jsonb not null default '[]',
  add column ignored_count int not null default 0;
