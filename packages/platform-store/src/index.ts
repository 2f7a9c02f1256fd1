export type { Configuration } from "./configuration.ts";
export { countPublished } from "./count-published.ts";
export { createDeal } from "./deals/create-deal.ts";
export type { DealFields, StoredDeal } from "./deals/deal.ts";
export { deleteDeal } from "./deals/delete-deal.ts";
export { getDeal } from "./deals/get-deal.ts";
export { listDealRevisions } from "./deals/list-deal-revisions.ts";
export { listDeals } from "./deals/list-deals.ts";
export { markDealPublished } from "./deals/mark-deal-published.ts";
export { replaceDeal } from "./deals/replace-deal.ts";
export type { Candidates, Side } from "./halves/find-partners.ts";
export type { EarnedOutcome, Judge, Judged, Judgement } from "./halves/judge.ts";
export { measureOutcomeQueue, type OutcomeQueueSize } from "./halves/measure-outcome-queue.ts";
export { type Pairing, pairHalves } from "./halves/pair-halves.ts";
export { type RevertedElsewhere, revertRecords } from "./halves/revert-records.ts";
export { type NewPayment, paymentUuid, type StoredPayments, storePayments } from "./halves/store-payments.ts";
export { storeRecords } from "./halves/store-records.ts";
export { expirePayments, expireRecords, forgetHalves } from "./halves/sweep-halves.ts";
export { takeOutcomes } from "./halves/take-outcomes.ts";
export {
  assertPlatformSchema,
  migratePlatform,
  pendingPlatformMigrations,
  platformMigrationState,
} from "./migrate-platform.ts";
export { PLATFORM_KEYS } from "./platform-keys.ts";
export { createProgram } from "./programs/create-program.ts";
export { deleteProgram } from "./programs/delete-program.ts";
export { getProgram } from "./programs/get-program.ts";
export { listProgramRevisions } from "./programs/list-program-revisions.ts";
export { listPrograms } from "./programs/list-programs.ts";
export { markProgramPublished } from "./programs/mark-program-published.ts";
export type { ProgramFields, StoredProgram } from "./programs/program.ts";
export { replaceProgram } from "./programs/replace-program.ts";
export { readConfiguration, readConfigurationVersion } from "./read-configuration.ts";
export { readPlatformCursorKey } from "./read-platform-cursor-key.ts";
export { createRetailer } from "./retailers/create-retailer.ts";
export { deleteRetailer } from "./retailers/delete-retailer.ts";
export { getRetailer } from "./retailers/get-retailer.ts";
export { listRetailers } from "./retailers/list-retailers.ts";
export { MerchantIdTakenError } from "./retailers/merchant-ids.ts";
export { replaceRetailer } from "./retailers/replace-retailer.ts";
export { replaceRetailerToken } from "./retailers/replace-retailer-token.ts";
export type { RetailerFields, StoredRetailer } from "./retailers/retailer.ts";
export { type StoredRules, toStoredRules } from "./stored-rules.ts";
export { createPlatformToken, type NewPlatformToken } from "./tokens/create-platform-token.ts";
export { deletePlatformToken } from "./tokens/delete-platform-token.ts";
export { ensureFirstPlatformToken, type FirstPlatformToken } from "./tokens/ensure-first-platform-token.ts";
export { findTokenOwner, type TokenOwner } from "./tokens/find-token-owner.ts";
export { listPlatformTokens, type StoredPlatformToken } from "./tokens/list-platform-tokens.ts";
