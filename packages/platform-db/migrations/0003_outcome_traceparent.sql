-- The span that decided an outcome (W3C Trace Context), where it was traced: its publication goes on in the same trace. Rows
-- live for milliseconds.
alter table platform.outcome_queue add column traceparent text;
