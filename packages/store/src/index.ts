export { ADVISORY_LOCKS, type AdvisoryLock, lockForTransaction } from "./advisory-lock.ts";
export { type BatchOutcome, getBatch } from "./batches/get-batch.ts";
export { type BatchPart, recordBatchParts } from "./batches/record-batch-parts.ts";
export { sweepBatches } from "./batches/sweep-batches.ts";
export { classifyDatabaseError, type DatabaseErrorMeaning } from "./classify-database-error.ts";
export {
  closeStore,
  connectStore,
  type Fragment,
  type Sql,
  type Store,
  type StoreOptions,
} from "./connect.ts";
export { countEdges, joinEdges } from "./edge-members.ts";
export { ensureFirstToken, type FirstToken, type NewSecret } from "./first-token.ts";
export { loadMemberLinks, type MemberLinks } from "./links/load-member-links.ts";
export { createMemberbase } from "./memberbases/create-memberbase.ts";
export { getMemberbase } from "./memberbases/get-memberbase.ts";
export { listMemberbases } from "./memberbases/list-memberbases.ts";
export type { Memberbase } from "./memberbases/memberbase.ts";
export { getMember, type MemberKey } from "./members/get-member.ts";
export type { AttributeValue, Member, MemberUpsert } from "./members/member.ts";
export { type MemberUpserts, upsertMembers } from "./members/upsert-members.ts";
export { MigrationError, type MigrationOutcome, migrate } from "./migrate.ts";
export { createOrganisation, type Organisation } from "./organisations/create-organisation.ts";
export { findOrganisations } from "./organisations/find-organisations.ts";
export { getOrganisation } from "./organisations/get-organisation.ts";
export type { CountedPage, Page, PageRequest } from "./page.ts";
export {
  claimPartitions,
  type PartitionView,
  releasePartitions,
  viewPartitions,
} from "./partition-locks.ts";
export { readCursorKey } from "./read-cursor-key.ts";
export { dumpSchema } from "./schema-dump.ts";
export { createToken, type NewToken } from "./tokens/create-token.ts";
export { findTokenByHash, type TokenGrant } from "./tokens/find-token-by-hash.ts";
export { listTokens } from "./tokens/list-tokens.ts";
export { revokeToken } from "./tokens/revoke-token.ts";
export type { Token, TokenAccess } from "./tokens/token.ts";
export { touchTokens } from "./tokens/touch-tokens.ts";
export {
  type AppliedBatch,
  applyEvents,
  type ChangedTransaction,
  type EventOutcome,
} from "./transactions/apply-events.ts";
export {
  applyIsolated,
  type IsolatedBatch,
  type PoisonEvent,
  refusalOfData,
} from "./transactions/apply-isolated.ts";
export { encodeCopyRows } from "./transactions/copy-rows.ts";
export { type BatchForm, type EventBatch, toEventBatch } from "./transactions/event-batch.ts";
export { type EventRow, eventTable, toEvent, writeEventRows } from "./transactions/event-row.ts";
export { getTransaction } from "./transactions/get-transaction.ts";
export { listTransactions } from "./transactions/list-transactions.ts";
export { listTransactionsWithPrefix } from "./transactions/list-transactions-with-prefix.ts";
export { stagedTable, stageEvents } from "./transactions/staged-events.ts";
export { summariseTransactions, type TransactionSummary } from "./transactions/summarise-transactions.ts";
export type { TransactionRecord } from "./transactions/transaction-record.ts";
export { upsertTransactions } from "./transactions/upsert-transactions.ts";
export { watchDatabase } from "./watch-database.ts";
