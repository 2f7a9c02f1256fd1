-- What all processes of one installation share and nobody outside may know. One row, made here.
create table installation (
  is_only boolean not null default true,
  -- Signs list cursors: 32 bytes, so that they are tamper-evident across edge processes and restarts.
  cursor_key bytea not null,
  constraint installation_pkey primary key (is_only),
  constraint installation_one_row check (is_only),
  constraint installation_cursor_key_length check (octet_length(cursor_key) = 32)
);

-- Two random UUIDs carry 244 bits from the server's cryptographic source.
insert into installation (cursor_key)
values (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
