export { Cleanup } from "./cleanup.ts";
export { Deadlines } from "./deadlines.ts";
export { causeOf, explainRefusal, type LockHolder } from "./explain-refusal.ts";
export { joinFamilies, type MetricFamily } from "./exposition.ts";
export { Gathering, LOCKED } from "./gathering.ts";
export type { Environment } from "./given-setting.ts";
export { type CheckResult, Health, type Readiness, showReadiness } from "./health.ts";
export { createLog, type Log } from "./log.ts";
export {
  createRegistry,
  DURATION_BUCKETS_SECONDS,
  type Gauge,
  MetricFactory,
  SIZE_BUCKETS,
  timeWork,
} from "./metrics.ts";
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
export {
  declaredSettings,
  findUnknown,
  readSettings,
  reportSettings,
  type SettingRow,
  SettingsError,
} from "./read-settings.ts";
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
export {
  assertConsoleAccess,
  missingFor,
  requireEncryptionKeys,
  requirePlatformServers,
  requireServers,
} from "./service-needs.ts";
export type { Settings } from "./settings.ts";
export { isSameValue, type SettingInForce, settingsInForce } from "./settings-in-force.ts";
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
