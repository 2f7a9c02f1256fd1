-- Every revision of what decides what a purchase earns (contract, section 8): a purchase is judged by what was in force when it
-- was authorized, whenever its messages come. Triggers write them, so that no change is without its revision, also one that a
-- process of the version before makes during an upgrade.
create table platform.revisions (
  -- From when on it is in force.
  since timestamptz not null,
  -- Of a program, the number that publishers are told; of the others 0.
  revision bigint not null,
  -- Of the program, deal or retailer.
  id uuid not null,
  kind text not null,
  -- What decides: fields of the row. Null: it is deleted.
  settings jsonb,
  constraint revisions_pkey primary key (id, since),
  constraint revisions_kind_known check (kind in ('program', 'deal', 'retailer'))
);

create function platform.program_settings(program platform.loyalty_programs) returns jsonb
language sql stable parallel safe
begin atomic
  select case when program.deleted_at is null then jsonb_build_object(
    'threshold', program.qualifying_threshold, 'reward', program.reward_config, 'rules', program.rules
  ) end;
end;

create function platform.deal_settings(deal platform.deals) returns jsonb
language sql stable parallel safe
begin atomic
  select case when deal.deleted_at is null then jsonb_build_object(
    'reward', deal.reward_config, 'rules', deal.rules,
    'startsAt', (extract(epoch from deal.starts_at) * 1000000)::bigint,
    'endsAt', (extract(epoch from deal.ends_at) * 1000000)::bigint
  ) end;
end;

create function platform.retailer_settings(retailer platform.retailers) returns jsonb
language sql stable parallel safe
begin atomic
  select jsonb_build_object(
    'merchantIds', retailer.merchant_ids, 'statementDescriptors', retailer.statement_descriptors
  );
end;

-- The time is that of the change, and not of its transaction, which may have waited for the change before it. Two changes at the same
-- microsecond are one.
create function platform.keep_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
declare
  before jsonb;
  now_in_force jsonb;
  number bigint := 0;
begin
  case tg_table_name
    when 'loyalty_programs' then
      if tg_op <> 'INSERT' then before := platform.program_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.program_settings(new); number := new.revision; end if;
    when 'deals' then
      if tg_op <> 'INSERT' then before := platform.deal_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.deal_settings(new); end if;
    else
      if tg_op <> 'INSERT' then before := platform.retailer_settings(old); end if;
      if tg_op <> 'DELETE' then now_in_force := platform.retailer_settings(new); end if;
  end case;
  if now_in_force is not distinct from before then return null; end if;
  insert into platform.revisions (since, revision, id, kind, settings)
  values (
    clock_timestamp(), number, case tg_op when 'DELETE' then old.id else new.id end,
    case tg_table_name when 'loyalty_programs' then 'program' when 'deals' then 'deal' else 'retailer' end,
    now_in_force
  )
  on conflict (id, since) do update set settings = excluded.settings, revision = excluded.revision;
  return null;
end
$$;

create trigger loyalty_programs_revised after insert or update or delete on platform.loyalty_programs
  for each row execute function platform.keep_revision();
create trigger deals_revised after insert or update or delete on platform.deals
  for each row execute function platform.keep_revision();
create trigger retailers_revised after insert or update or delete on platform.retailers
  for each row execute function platform.keep_revision();

-- What is there today was in force from the beginning: what it was before is not known. What was deleted was in force until then.
insert into platform.revisions (since, revision, id, kind, settings)
select p.created_at, p.revision, p.id, 'program', jsonb_build_object(
         'threshold', p.qualifying_threshold, 'reward', p.reward_config, 'rules', p.rules
       )
from platform.loyalty_programs p;
insert into platform.revisions (since, revision, id, kind, settings)
select d.created_at, 0, d.id, 'deal', jsonb_build_object(
         'reward', d.reward_config, 'rules', d.rules,
         'startsAt', (extract(epoch from d.starts_at) * 1000000)::bigint,
         'endsAt', (extract(epoch from d.ends_at) * 1000000)::bigint
       )
from platform.deals d;
insert into platform.revisions (since, revision, id, kind, settings)
select r.created_at, 0, r.id, 'retailer', platform.retailer_settings(r) from platform.retailers r;
insert into platform.revisions (since, revision, id, kind)
select greatest(deleted_at, created_at + interval '1 microsecond'), revision, id, 'program'
from platform.loyalty_programs where deleted_at is not null;
insert into platform.revisions (since, revision, id, kind)
select greatest(deleted_at, created_at + interval '1 microsecond'), 0, id, 'deal'
from platform.deals where deleted_at is not null;
