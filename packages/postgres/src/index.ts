export { ADVISORY_LOCKS, lockForTransaction } from "./advisory-lock.ts";
export { assertLetIn, assertSchema, awaitSchema } from "./assert-schema.ts";
export {
  closeStore,
  connectStore,
  type Fragment,
  type SharedStore,
  type Sql,
  type Store,
  type Transaction,
} from "./connect.ts";
export {
  classifyDatabaseError,
  DATABASE_FAULTS,
  databaseFaultOf,
  explainDatabaseFault,
  isDatabaseAway,
  isLockTimeout,
  refusalOfData,
} from "./database-errors.ts";
export { createDatabaseMetrics } from "./database-metrics.ts";
export { gatherLookups } from "./gather-lookups.ts";
export {
  answerOnce,
  type KeptAnswer,
  type KeyedRequest,
  keptAnswerContext,
  sweepIdempotencyKeys,
} from "./idempotency-keys.ts";
export { type DatabaseServer, inspectServer, nameDatabase } from "./inspect-server.ts";
export { isolateRefused } from "./isolate-refused.ts";
export {
  MigrationError,
  type MigrationResult,
  type MigrationState,
  migrateSet,
  migrationState,
} from "./migrate.ts";
export { type MigrationSet, migrationsDirectory, rightsFileOf } from "./migration-file.ts";
export {
  behindCreated,
  type CountedPage,
  createdKeyset,
  keyset,
  type MeasuredRow,
  type Page,
  type PageRequest,
  placedKeyset,
  toMeasuredPage,
  toPage,
  withinBytes,
} from "./page.ts";
export { ExpectedWait, PartitionOwnership, showOwnership } from "./partition-ownership.ts";
export { compareRights, type RightsReport } from "./rights.ts";
export { dumpSchema } from "./schema-dump.ts";
export { constantText, createTag, microsecondsSince1970, utc } from "./statement.ts";
export { StreamPlaces } from "./stream-places.ts";
export { BEFORE_ALL_TIMES, SweepPlace } from "./sweep-place.ts";
export { watchDatabase } from "./watch-database.ts";
