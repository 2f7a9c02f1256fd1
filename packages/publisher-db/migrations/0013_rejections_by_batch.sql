-- What of a batch was rejected is asked for by the batch (`transaction.batch/get`). Few events are rejected.
drop index concurrently if exists transaction_rejections_batch_idx;
create index concurrently transaction_rejections_batch_idx on transaction_rejections (batch_id)
  where batch_id is not null;
