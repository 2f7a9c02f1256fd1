-- How many members a memberbase has, kept exactly: counting a million rows for every page of a list would cost several
-- times the page. Kept by triggers, because members are also removed by cascades and by hand, and a count that is wrong once
-- stays wrong. No index may hold this column, so that its updates stay HOT.
alter table memberbases add column member_count bigint not null default 0;
alter table memberbases add constraint memberbases_member_count_range check (member_count >= 0);

-- Members that were deleted and whose transactions may still name them. Readers take a member_id without a member for
-- null, so nothing depends on how soon that is done (see the hot table in 0001). A row goes when nothing names its member.
create table deleted_members (
  member_id uuid not null,
  deleted_at timestamptz not null default now(),
  constraint deleted_members_pkey primary key (member_id)
);

-- Whether a member's memberbase is deleted is asked for every transaction that comes in: this keeps the answer small.
create index memberbases_deleted_idx on memberbases (id) where deleted_at is not null;

-- A statement's members are counted at its end, when it holds all locks that it wants on members and on what hangs on
-- them: the memberbase is the last lock that anybody takes, so that no two can wait for each other. Statements that touch
-- several memberbases would have to agree on an order; there are none.
create function count_created_members() returns trigger language plpgsql as $$
begin
  update memberbases
  set member_count = member_count + created.members
  from (select memberbase_id, count(*) as members from created_members group by memberbase_id) as created
  where memberbases.id = created.memberbase_id;
  return null;
end
$$;

create function count_deleted_members() returns trigger language plpgsql as $$
begin
  insert into deleted_members (member_id) select id from gone_members;
  update memberbases
  set member_count = member_count - gone.members
  from (select memberbase_id, count(*) as members from gone_members group by memberbase_id) as gone
  where memberbases.id = gone.memberbase_id;
  return null;
end
$$;

create trigger members_created after insert on members
  referencing new table as created_members
  for each statement execute function count_created_members();
create trigger members_deleted after delete on members
  referencing old table as gone_members
  for each statement execute function count_deleted_members();

-- Nobody writes members while this runs: the triggers above hold the table's lock until the commit.
update memberbases
set member_count = counted.members
from (select memberbase_id, count(*) as members from members group by memberbase_id) as counted
where counted.memberbase_id = memberbases.id;
