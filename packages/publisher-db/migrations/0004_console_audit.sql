-- The audit is only ever added to: whoever has the console's role cannot rewrite or remove what was done.

-- What a change was going to change, [{"field": "state", "old": "enabled", "new": "paused"}]; null in other lines and where
-- there is nothing to compare. Written with the line, before the request goes on.
alter table console_audit add column changes jsonb;

-- What became of a line, in place of its `outcome`, `completed_at` and `joined`, which were changed later. In new lines
-- `joined` is only a mark: '{}' in a line that others may join, null in all others.
create table console_audit_steps (
  at timestamptz not null default now(),
  id bigint not null generated always as identity,
  line bigint not null,
  -- False: the end of the line's own request. True: a later look-up that the line tells of too, first without an outcome,
  -- before it goes on, and again with it.
  joined boolean not null,
  action text not null,
  -- `ok`, or the code of the error that was the answer; null: the look-up begins.
  outcome text,
  -- What the line's request turned out to be about, if only its end says so.
  subject text,
  constraint console_audit_steps_pkey primary key (id),
  constraint console_audit_steps_line_fkey foreign key (line) references console_audit (id) on delete cascade,
  constraint console_audit_steps_own_is_an_end check (joined or outcome is not null)
);
create index console_audit_steps_line_idx on console_audit_steps (line, id);
