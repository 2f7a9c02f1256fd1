-- The order in which transactions reached their final state (contract, section 9): money depends on whether a purchase cleared
-- before another was reverted, and must not depend on which message of it is handled first.
--
-- A number of this sequence is drawn by the statement that takes a row from authorized to its final state, while it holds
-- the row's lock (`writeTransactions`). Rewards compares the numbers of one collection's purchases only
-- after locking those that are still authorized: a settling that it does not see has no number yet, and will get a higher
-- one. `cache 1` makes numbers rise over all sessions. A row that was final when it was first stored keeps null: nothing
-- could be earned with it before, so it counts as the first of all.
create sequence transactions_settled_order as bigint cache 1;
alter table transactions add column settled_order bigint;

-- Standing redemptions whose cashback is pending. A collection is judged with all of them, whatever batch it is in; no
-- index that changes with a cashback's state is needed to find them.
alter table stamp_collections add column pending_redemptions uuid[] not null default '{}';
