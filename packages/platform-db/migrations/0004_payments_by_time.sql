-- For `payment/list`, of one retailer and of all, and for payments that come near to a purchase which waits: by when they were paid.
drop index concurrently if exists platform.payments_retailer_paid_idx;
create index concurrently payments_retailer_paid_idx on platform.payments (retailer_id, paid_at, id);
drop index concurrently if exists platform.payments_paid_idx;
create index concurrently payments_paid_idx on platform.payments (paid_at, id);
