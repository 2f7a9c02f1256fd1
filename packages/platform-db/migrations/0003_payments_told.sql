-- Payments say more of themselves and can be read; revisions stay in order where a clock goes back; and purchases that were
-- reverted before reversals gave payments back do so now (contract, sections 7, 8 and 12).

-- Over how many digits of the card each identifier is: `6` or `8` for each, in their order. Null: the payment does not say.
alter table platform.payments add column bin_digits text;
alter table platform.payments add constraint payments_bin_digits_whole check (
  bin_digits ~ '^[68]+$' and octet_length(bin_digits) = octet_length(identifiers) / 32
) not valid;

-- The reverted transaction that gave it back last. Null: none did.
alter table platform.payments add column released_from uuid;

-- A revision begins after the one before it, whatever the clock says: two changes of one record are never at one moment, and a
-- clock that goes back does not bring what was replaced into force again. Changes of one record wait for each other.
create function platform.order_revision() returns trigger
language plpgsql set search_path = platform, pg_temp as $$
begin
  select greatest(new.since, max(since) + interval '1 microsecond') into new.since
  from platform.revisions where id = new.id;
  return new;
end
$$;
create trigger revisions_ordered before insert on platform.revisions
  for each row execute function platform.order_revision();

-- Walks over all records that the background makes in small steps, to give back the payments of those that were reverted before. The
-- second begins when no process of the version before is left that could revert a purchase and keep its payment.
create table platform.release_walks (
  not_before timestamptz not null,
  -- The last transaction that was looked at. Null: none yet.
  reached uuid,
  constraint release_walks_pkey primary key (not_before)
);
insert into platform.release_walks (not_before)
select at from (values (now()), (now() + interval '1 day')) as walk (at)
where exists (select from platform.records where state = 'reverted' or payment_id is not null);
