export {
  type Cashback,
  type CashbackJson,
  type CashbackSource,
  type Reward,
  toCashback,
} from "./cashback.ts";
export { createOrganisation, type Organisation } from "./create-organisation.ts";
export { createToken } from "./create-token.ts";
export { type Deal, dealColumns } from "./deal.ts";
export { deleteMembers, removeMembers } from "./delete-members.ts";
export { findOrganisations } from "./find-organisations.ts";
export { findTokenByHash, type TokenGrant } from "./find-token-by-hash.ts";
export { ensureFirstToken, type NewSecret } from "./first-token.ts";
export { getOrganisation } from "./get-organisation.ts";
export { firstIdAt, insertDeliveries } from "./insert-deliveries.ts";
export { loadMemberLinks, type MemberLinks, microsecondsSince1970 } from "./load-member-links.ts";
export { assertPublisherSchema, migratePublisher, publisherMigrationState } from "./migrate-publisher.ts";
export { hasPending, isPending } from "./pending.ts";
export { type Program, type ProgramReward, programColumns } from "./program.ts";
export { reachableMember } from "./reachable-member.ts";
export { readCursorKey } from "./read-cursor-key.ts";
export { REWARD_CHECKS, type RewardFault } from "./reward-checks.ts";
export { storedTransaction } from "./stored-transaction.ts";
export { type Token, type TokenAccess, tokenColumns } from "./token.ts";
export {
  type RewardedRow,
  type RewardedTransaction,
  rewardedColumns,
  type TransactionRecord,
  toRewarded,
  transactionColumns,
} from "./transaction-record.ts";
export { verifyRewards } from "./verify-rewards.ts";
export { type SealedWebhookSecret, type Webhook, webhookColumns } from "./webhook.ts";
export { lockForEvents, type StoredEvent, storedEvents, writeEvents } from "./write-events.ts";
