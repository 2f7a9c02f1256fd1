-- The span that an event is from (W3C Trace Context), where it was traced: its deliveries go on in the same trace. Null for
-- what is older, and where tracing is off; without a default the column costs no rewrite, and such rows no byte.
alter table events add column traceparent text;
