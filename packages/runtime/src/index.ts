export { joinFamilies, type MetricFamily } from "./exposition.ts";
export type { Environment, SettingOrigin } from "./given-setting.ts";
export { type Check, type CheckResult, Health } from "./health.ts";
export { createLog, type Log } from "./log.ts";
export * from "./metrics.ts";
export { natsVersionWarning } from "./nats-version.ts";
export { answerMetrics, type Ops, type OpsAnswer, OpsEndpoints, readMetricsJson, serveOps } from "./ops.ts";
export {
  declaredSettings,
  describeSettings,
  readSettings,
  reportSettings,
  type SettingRow,
  SettingsError,
  type SettingsReport,
  settingNames,
} from "./read-settings.ts";
export { requireEncryptionKeys } from "./require-encryption-keys.ts";
export { requirePlatformServers, requireServers } from "./require-servers.ts";
export { startSampler } from "./sampler.ts";
export { makeEncryptionKey, type Sealed, SecretBox } from "./secret-box.ts";
export {
  AWAY_EXIT_CODE,
  type RunningService,
  runService,
  type ServiceContext,
  type ToChild,
  type ToParent,
} from "./service.ts";
export { missingFor } from "./service-needs.ts";
export type { Settings } from "./settings.ts";
export { isSameValue, type SettingInForce, settingsInForce } from "./settings-in-force.ts";
export { showReadiness } from "./show-readiness.ts";
export { explainListenError, StartError } from "./start-error.ts";
export { explainTlsFault } from "./tls-fault.ts";
export type { TracedHistogram } from "./traced-histogram.ts";
export { startTracing } from "./tracing/start-tracing.ts";
export {
  errorClass,
  type FollowedWork,
  inSpan,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type Tracing,
  untilDone,
} from "./tracing/tracing.ts";
export { untilServed, Waiting } from "./waiting.ts";
