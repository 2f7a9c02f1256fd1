export { type Check, type CheckResult, Health } from "./health.ts";
export { createLog, type Log } from "./log.ts";
export { mergeMetrics } from "./merge-metrics.ts";
export * from "./metrics.ts";
export { type OpsAnswer, OpsEndpoints, serveOps } from "./ops.ts";
export { requireEncryptionKeys } from "./require-encryption-keys.ts";
export { requirePlatformServers, requireServers } from "./require-servers.ts";
export { startSampler } from "./sampler.ts";
export { makeEncryptionKey, type Sealed, SecretBox } from "./secret-box.ts";
export {
  type RunningService,
  runService,
  type ServiceContext,
  type ToChild,
  type ToParent,
} from "./service.ts";
export {
  describeSettings,
  type Environment,
  readSettings,
  type Settings,
  SettingsError,
} from "./settings.ts";
export { explainListenError, StartError } from "./start-error.ts";
