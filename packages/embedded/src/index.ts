/** Starts real PostgreSQL and NATS servers on this machine, and makes sure that they end. */
export { type DataDirLock, lockDataDir, writeSecret } from "./data-dir.ts";
export { type ForkedService, forkService } from "./fork-service.ts";
export { freePort, isPortTaken } from "./free-port.ts";
export { guard, guardianPid } from "./guardian.ts";
export {
  descendantsOf,
  ENDINGS,
  endProcess,
  forgetProcess,
  hasEnded,
  identify,
  isRunning,
  type ProcessIdentity,
  readRecordedProcess,
  readStat,
  recordProcess,
} from "./processes.ts";
export { type Exit, openServerLog, type RunningServer } from "./running-server.ts";
export { makeOwnDirectory, removeAbandoned, type ServerPair, startServerPair } from "./server-pair.ts";
export {
  findNats,
  isExecutable,
  type NatsOptions,
  type RunningNats,
  startNats,
} from "./start-nats.ts";
export { type PostgresOptions, type RunningPostgres, startPostgres } from "./start-postgres.ts";
