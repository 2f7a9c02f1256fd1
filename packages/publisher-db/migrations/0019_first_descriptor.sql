-- The first statement descriptor of a purchase whose clearing or reversal has another. The platform routes by the first by which
-- the purchase has a retailer, and is told of both. Null where there is no other: nearly always, so rows are as long as they were.
alter table transactions add column if not exists first_descriptor text;
