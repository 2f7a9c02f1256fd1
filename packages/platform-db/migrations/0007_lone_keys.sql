-- A half that knows identifiers of one length has keys besides that those of the other cards with its six digits have not: halves that know both
-- lengths find it under them, however many others there are. Rows of before, and of processes of the version before, have none:
-- they are found as before, for as long as they wait. What such processes leave of these keys is swept.
create function platform.lone_keys(retailer_id uuid, identifiers bytea) returns setof bigint
language sql immutable parallel safe
begin atomic
  select ('x' || encode(
    substring(sha256(uuid_send(retailer_id) || substring(identifiers from 32 * n + 1 for 32) || '\x01'::bytea) from 1 for 8),
    'hex'
  ))::bit(64)::bigint
  from unnest('{0,1,2,3,4,5,6,7}'::int[]) as n
  where n < octet_length(identifiers) / 32;
end;

-- All keys of an open half. `bin_digits`: as a payment says it; null: it does not, or is a record.
create function platform.open_keys(retailer_id uuid, identifiers bytea, bin_digits text) returns setof bigint
language sql immutable parallel safe
begin atomic
  select platform.half_keys(retailer_id, identifiers)
  union all
  select platform.lone_keys(retailer_id, identifiers)
  where octet_length(identifiers) = 32 or bin_digits ~ '^(6+|8+)$';
end;
