export { Cleanup } from "./cleanup.ts";
export { Deadlines } from "./deadlines.ts";
export { causeOf, explainRefusal, type LockHolder } from "./explain-refusal.ts";
export { Gathering, LOCKED } from "./gathering.ts";
export { type CheckResult, Health, type Readiness, showReadiness } from "./health.ts";
export { createLog, type Log } from "./log.ts";
export { joinFamilies, type MetricFamily } from "./metrics/exposition.ts";
export {
  createRegistry,
  DURATION_BUCKETS_SECONDS,
  type Gauge,
  MetricFactory,
  SIZE_BUCKETS,
  timeWork,
} from "./metrics/metrics.ts";
export { natsVersionWarning } from "./nats-version.ts";
export {
  answerMetrics,
  answerReadiness,
  type Ops,
  type OpsAnswer,
  OpsEndpoints,
  readMetricsJson,
  serveOps,
} from "./ops.ts";
export { Progress, type Work } from "./progress.ts";
export { type Repeated, repeat, restingWhenIdle, startSampler } from "./repeat.ts";
export { makeEncryptionKey, type Sealed, SecretBox } from "./secret-box.ts";
export {
  AWAY_EXIT_CODE,
  type RunningService,
  runService,
  SERVICE_NODE_FLAGS,
  type ServiceContext,
  type ToChild,
  type ToParent,
} from "./service.ts";
export type { Environment } from "./settings/given-setting.ts";
export {
  declaredSettings,
  findUnknown,
  readSettings,
  reportSettings,
  type SettingRow,
  SettingsError,
} from "./settings/read-settings.ts";
export {
  assertConsoleAccess,
  missingFor,
  requireEncryptionKeys,
  requirePlatformServers,
  requireServers,
} from "./settings/service-needs.ts";
export type { Settings } from "./settings/settings.ts";
export { isSameValue, type SettingInForce, settingsInForce } from "./settings/settings-in-force.ts";
export { explainListenError, explainTlsFault, StartError } from "./start-error.ts";
export { readTraceparent } from "./tracing/traceparent.ts";
export {
  errorClass,
  inSpan,
  type Span,
  type SpanAttributes,
  type Tracing,
  untilDone,
} from "./tracing/tracing.ts";
export { untilServed, Waiting } from "./waiting.ts";
