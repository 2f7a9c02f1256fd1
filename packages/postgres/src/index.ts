export { ADVISORY_LOCKS, lockForTransaction } from "./advisory-lock.ts";
export { assertLetIn } from "./assert-let-in.ts";
export { assertSchema, awaitSchema } from "./assert-schema.ts";
export {
  closeStore,
  connectStore,
  type Fragment,
  type Sql,
  type Store,
  type Transaction,
} from "./connect.ts";
export { constantText } from "./constant-text.ts";
export {
  classifyDatabaseError,
  DATABASE_FAULTS,
  databaseFaultOf,
  explainDatabaseFault,
  isDatabaseAway,
  refusalOfData,
} from "./database-errors.ts";
export { createDatabaseMetrics } from "./database-metrics.ts";
export { gatherLookups } from "./gather-lookups.ts";
export { answerOnce } from "./idempotency-keys/answer-once.ts";
export type { KeptAnswer, KeyedRequest } from "./idempotency-keys/keyed-request.ts";
export { sweepIdempotencyKeys } from "./idempotency-keys/sweep-idempotency-keys.ts";
export { type DatabaseServer, inspectServer } from "./inspect-server.ts";
export { isolateRefused, type Refused } from "./isolate-refused.ts";
export { keyset } from "./keyset.ts";
export {
  MigrationError,
  type MigrationOutcome,
  type MigrationState,
  migrateSet,
  migrationState,
  pendingMigrations,
} from "./migrate.ts";
export { migrationsDirectory } from "./migration-file.ts";
export type { MigrationSet } from "./migration-set.ts";
export { type CountedPage, type Page, type PageRequest, toPage } from "./page.ts";
export { dumpSchema } from "./schema-dump.ts";
export { createTag } from "./statement.ts";
export { utc } from "./utc-text.ts";
export { watchDatabase } from "./watch-database.ts";
