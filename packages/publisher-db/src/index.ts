export {
  createToken,
  findTokenByHash,
  type Token,
  type TokenAccess,
  type TokenGrant,
  tokenColumns,
} from "./api-tokens.ts";
export {
  type Cashback,
  type CashbackJson,
  type CashbackSource,
  type TransactionCashback,
  toCashback,
} from "./cashback.ts";
export {
  type Deal,
  dealColumns,
  type Program,
  programColumns,
} from "./configuration.ts";
export {
  type ConsoleRole,
  endConsoleEntrances,
  listConsoleEntrances,
  makeConsoleLink,
} from "./console-sessions.ts";
export { deleteMembers, reachableMember, removeMembers } from "./delete-members.ts";
export {
  derivedId,
  eventsBetween,
  forwardFirst,
  hasPending,
  insertDeliveries,
  isPending,
  waitingEvents,
} from "./deliveries.ts";
export { firstIdAt } from "./first-id-at.ts";
export { ensureFirstToken, type NewSecret } from "./first-token.ts";
export { loadMemberLinks, type MemberLinks } from "./load-member-links.ts";
export { expandSubscriptions, migratePublisher } from "./migrate-publisher.ts";
export {
  createOrganisation,
  findOrganisations,
  getOrganisation,
  type Organisation,
} from "./organisations.ts";
export { assertPublisherSchema, PUBLISHER_SCHEMA } from "./publisher-schema.ts";
export { readCursorKey } from "./read-cursor-key.ts";
export { lockQueue, lockQueueNow, lookAtFailed, markReplayed, passed, queueAgain } from "./replays.ts";
export { createRetroactiveReader, retroactiveText } from "./retroactive-history.ts";
export { REWARD_CHECKS, type RewardFault } from "./reward-checks.ts";
export { toldBody } from "./told-body.ts";
export {
  type RewardedRow,
  type RewardedTransaction,
  rewardedColumns,
  type StoredRow,
  storedColumns,
  toRewarded,
  toStored,
} from "./transaction-record.ts";
export { verifyRewards } from "./verify-rewards.ts";
export { type SealedWebhookSecret, type Webhook, webhookColumns } from "./webhook.ts";
export { lockForEvents, type StoredEvent, storedEvents, writeEvents } from "./write-events.ts";
