/** Starts real PostgreSQL and NATS servers on this machine, and sees to it that they end. */
export { ENDINGS, endProcess, type ProcessKind } from "./end-process.ts";
export { freePort, isPortTaken } from "./free-port.ts";
export { guard, guardianPid } from "./guardian.ts";
export { type DataDirLock, lockDataDir } from "./lock-data-dir.ts";
export { findNats } from "./nats-binary.ts";
export type { NatsClusterConfig } from "./nats-config.ts";
export { identify, isRunning, type ProcessIdentity } from "./process-identity.ts";
export { forgetProcess, readRecordedProcess, recordProcess } from "./process-record.ts";
export type { Exit, RunningServer } from "./running-server.ts";
export { openServerLog } from "./server-log.ts";
export { type NatsOptions, type RunningNats, startNats } from "./start-nats.ts";
export { type PostgresOptions, type RunningPostgres, startPostgres } from "./start-postgres.ts";
