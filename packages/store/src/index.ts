export { ADVISORY_LOCKS, type AdvisoryLock, lockForTransaction } from "./advisory-lock.ts";
export { applyRefusable, type Refused } from "./apply-refusable.ts";
export { assertLetIn } from "./assert-let-in.ts";
export { assertSchema, awaitSchema } from "./assert-schema.ts";
export { type BatchOutcome, getBatch } from "./batches/get-batch.ts";
export { type BatchPart, recordBatchParts } from "./batches/record-batch-parts.ts";
export { sweepBatches } from "./batches/sweep-batches.ts";
export type { Cashback, CashbackSource, CashbackState, Reward } from "./cashbacks/cashback.ts";
export { listCashbacks } from "./cashbacks/list-cashbacks.ts";
export { classifyDatabaseError, type DatabaseErrorMeaning } from "./classify-database-error.ts";
export type { Clip } from "./clips/clip.ts";
export { listClips } from "./clips/list-clips.ts";
export { type NewClip, type SavedClip, saveClip } from "./clips/save-clip.ts";
export {
  closeStore,
  connectStore,
  type Fragment,
  type Sql,
  type Store,
  type StoreOptions,
  type Transaction,
} from "./connect.ts";
export { DATABASE_FAULTS, type DatabaseFault, databaseFaultOf, isDatabaseAway } from "./database-fault.ts";
export { createDatabaseMetrics, type DatabaseMetrics } from "./database-metrics.ts";
export { applyDealConfig, type DealChange } from "./deals/apply-deal-config.ts";
export type { Deal, DealReward } from "./deals/deal.ts";
export { getDeal } from "./deals/get-deal.ts";
export { listDeals } from "./deals/list-deals.ts";
export { advanceHorizon } from "./deliveries/advance-horizon.ts";
export { countParked } from "./deliveries/count-parked.ts";
export type { DeliveryRecord, DeliveryStanding } from "./deliveries/delivery-record.ts";
export type { DeliveryAttempt, LeasedWebhook, PendingDelivery } from "./deliveries/delivery-work.ts";
export { findTestTarget, type TestTarget } from "./deliveries/find-test-target.ts";
export { type LeaseRequest, leaseWebhooks } from "./deliveries/lease-webhooks.ts";
export { type DeliveryListing, listDeliveries } from "./deliveries/list-deliveries.ts";
export type { DeliveryRequest } from "./deliveries/make-deliveries.ts";
export { type Backlog, measureBacklog } from "./deliveries/measure-backlog.ts";
export { unsettledSeconds } from "./deliveries/measure-unsettled.ts";
export { type AttemptRecord, recordAttempts } from "./deliveries/record-attempts.ts";
export { recordTest, type TestAttempt } from "./deliveries/record-test.ts";
export { type LeaseRelease, releaseWebhooks } from "./deliveries/release-webhooks.ts";
export { type LeaseRenewal, renewLeases } from "./deliveries/renew-leases.ts";
export { type ReplayedEvents, type ReplayRequest, replayDeliveries } from "./deliveries/replay-deliveries.ts";
export { sweepDeliveries } from "./deliveries/sweep-deliveries.ts";
export { sweepEvents } from "./deliveries/sweep-events.ts";
export { takeDeliveries } from "./deliveries/take-deliveries.ts";
export { type StoredEvent, writeEvents } from "./deliveries/write-events.ts";
export { countEdges, joinEdges } from "./edge-members.ts";
export { explainDatabaseFault } from "./explain-database-fault.ts";
export type { StoreFilter } from "./filter.ts";
export { ensureFirstToken, type FirstToken, type NewSecret } from "./first-token.ts";
export { type AnsweredOnce, answerOnce, type KeyedWork } from "./idempotency-keys/answer-once.ts";
export type { KeptAnswer, KeyedRequest } from "./idempotency-keys/keyed-request.ts";
export { resealKeptAnswers, type SealedAnswer } from "./idempotency-keys/reseal-kept-answers.ts";
export { sweepIdempotencyKeys } from "./idempotency-keys/sweep-idempotency-keys.ts";
export { type DatabaseServer, inspectServer } from "./inspect-server.ts";
export { keyset } from "./keyset.ts";
export { loadMemberLinks, type MemberLinks } from "./links/load-member-links.ts";
export {
  dropNewLinks,
  findNewlyLinked,
  type NotedLinks,
  noteNewLinks,
  takeNewLinks,
} from "./links/new-links.ts";
export { createMemberbase } from "./memberbases/create-memberbase.ts";
export { deleteMemberbase } from "./memberbases/delete-memberbase.ts";
export { getMemberbase } from "./memberbases/get-memberbase.ts";
export { listMemberbases, type MemberbaseFilter } from "./memberbases/list-memberbases.ts";
export type { Memberbase } from "./memberbases/memberbase.ts";
export { deleteMembers, type MemberDeletion } from "./members/delete-members.ts";
export { getMember, type MemberKey } from "./members/get-member.ts";
export { listMembers, type MemberFilter, type MemberListing } from "./members/list-members.ts";
export type { AttributeValue, Member, MemberUpsert } from "./members/member.ts";
export { sweepDeletedMemberbases } from "./members/sweep-deleted-memberbases.ts";
export {
  areOver,
  type DeletedMembers,
  findDeletedMembers,
  unlinkDeletedMembers,
} from "./members/unlink-deleted-members.ts";
export { type MemberUpserts, upsertMembers } from "./members/upsert-members.ts";
export {
  MigrationError,
  type MigrationOutcome,
  type MigrationState,
  migrate,
  migrateSet,
  migrationState,
  pendingMigrations,
} from "./migrate.ts";
export { migrationsDirectory } from "./migration-file.ts";
export type { MigrationSet } from "./migration-set.ts";
export { createOrganisation, type Organisation } from "./organisations/create-organisation.ts";
export { findOrganisations } from "./organisations/find-organisations.ts";
export { getOrganisation } from "./organisations/get-organisation.ts";
export { type CountedPage, type Page, type PageRequest, toPage } from "./page.ts";
export {
  claimPartitions,
  leavePartitions,
  type PartitionView,
  releasePartitions,
  viewPartitions,
} from "./partition-locks.ts";
export {
  FencedError,
  type IngestPosition,
  movePositions,
  type PositionMove,
  resetPosition,
  takeOverPosition,
} from "./positions/ingest-position.ts";
export { applyProgramConfig, type ProgramChange } from "./programs/apply-program-config.ts";
export { getProgram } from "./programs/get-program.ts";
export { listPrograms } from "./programs/list-programs.ts";
export type { DisplayContent, Program, ProgramReward } from "./programs/program.ts";
export { readCursorKey } from "./read-cursor-key.ts";
export { refusalOfData } from "./refusal-of-data.ts";
export type { Reseal, Resealed } from "./resealed.ts";
export { lockForOutcomes } from "./rewards/lock-for-outcomes.ts";
export { lockForSettlements, type SettledTransaction } from "./rewards/lock-for-settlements.ts";
export { withOpenTransactions } from "./rewards/lock-open-transactions.ts";
export type {
  LoadedRewards,
  LoadedTarget,
  OutcomeSubject,
  OwnedChange,
  RewardTarget,
  RewardWrites,
} from "./rewards/reward-batch.ts";
export { REWARD_CHECKS, type RewardFault, type RewardFaultKind } from "./rewards/reward-checks.ts";
export { FAULTS_KEPT, type VerifiedRewards, verifyRewards } from "./rewards/verify-rewards.ts";
export { writeRewards } from "./rewards/write-rewards.ts";
export { dumpSchema } from "./schema-dump.ts";
export {
  createStampCollection,
  type Enrolment,
  type NewStampCollection,
} from "./stamp-collections/create-stamp-collection.ts";
export { getStampCollection } from "./stamp-collections/get-stamp-collection.ts";
export { listStampCollections } from "./stamp-collections/list-stamp-collections.ts";
export type { StampCollection } from "./stamp-collections/stamp-collection.ts";
export type { PoolState, StoreObserver } from "./store-observer.ts";
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
  loadLinks,
} from "./transactions/apply-events.ts";
export {
  applyIsolated,
  type IsolatedBatch,
  type PoisonEvent,
} from "./transactions/apply-isolated.ts";
export { type BatchForm, type EventBatch, keyOf, toEventBatch } from "./transactions/event-batch.ts";
export {
  type EventRow,
  eventTable,
  readEventRows,
  toEvent,
  writeEventRows,
} from "./transactions/event-row.ts";
export { findTransactionIds, type TransactionKey } from "./transactions/find-transaction-ids.ts";
export { findTransactions } from "./transactions/find-transactions.ts";
export { getTransaction } from "./transactions/get-transaction.ts";
export { listTransactions } from "./transactions/list-transactions.ts";
export { listTransactionsWithPrefix } from "./transactions/list-transactions-with-prefix.ts";
export { utc } from "./transactions/stored-columns.ts";
export { summariseTransactions, type TransactionSummary } from "./transactions/summarise-transactions.ts";
export type { RewardedTransaction, TransactionRecord } from "./transactions/transaction-record.ts";
export { type WatchedDatabase, watchDatabase } from "./watch-database.ts";
export { createWebhook, type NewWebhook } from "./webhooks/create-webhook.ts";
export { deleteWebhook } from "./webhooks/delete-webhook.ts";
export { getWebhook } from "./webhooks/get-webhook.ts";
export { listWebhooks } from "./webhooks/list-webhooks.ts";
export { loadNewestSecrets } from "./webhooks/load-newest-secrets.ts";
export { loadWebhookSecrets } from "./webhooks/load-webhook-secrets.ts";
export { type OwnedWebhookSecret, resealWebhookSecrets } from "./webhooks/reseal-webhook-secrets.ts";
export {
  rotateWebhookSecret,
  type SecretRotated,
  type SecretRotation,
} from "./webhooks/rotate-webhook-secret.ts";
export { updateWebhook, type WebhookChanges } from "./webhooks/update-webhook.ts";
export type { SealedWebhookSecret, Webhook } from "./webhooks/webhook.ts";
