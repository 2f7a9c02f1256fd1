/** What tests need beyond tap: real servers, databases of their own, and waiting without sleeping. */

export { ARCHIVING, type BaseBackup, restore, takeBaseBackup } from "./base-backup.ts";
export { countedWait } from "./counted-wait.ts";
export { dumpEveryRow } from "./dump-every-row.ts";
export { type ExposedFamily, type ExposedSample, readExposition } from "./exposition-rules.ts";
export { type FullOrganisation, fillOrganisation } from "./fill-organisation.ts";
export { isLoopAtRest } from "./is-loop-at-rest.ts";
export { LATER_OPTIMISATION } from "./later-optimisation.ts";
export {
  type CataloguedMetric,
  catalogueDifferences,
  describeScraped,
  metricCatalogue,
  readCatalogueText,
  type ScrapedMetrics,
  seriesNames,
  withMetrics,
  writeCatalogueText,
} from "./metric-catalogue.ts";
export { metricFaults } from "./metric-rules.ts";
export { MovableClock } from "./movable-clock.ts";
export { type NatsCluster, type Severing, startNatsCluster } from "./nats-cluster.ts";
export { orRefusal } from "./or-refusal.ts";
export { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "./otlp-collector.ts";
export { DISPLAY_CONTENT, dealFields, programFields } from "./platform-fields.ts";
export { PlatformLink, type ProgramTerms, publishConfig } from "./platform-link.ts";
export {
  type PrivateNats,
  type PrivatePostgres,
  type PrivateServer,
  privateNats,
  privatePostgres,
  privateServers,
} from "./private-servers.ts";
export { hasPromtool, promtoolFindings } from "./promtool.ts";
export {
  AUTHED_AT,
  CLEARED_AT,
  makeEvent,
  PlatformClient,
  PublisherClient,
  type RawAnswer,
  REVERTED_AT,
  succeeded,
} from "./publisher-client.ts";
export { readMetric } from "./read-metric.ts";
export { connectTo, messageBody, type ReadMessage, readMessages, readStream } from "./read-stream.ts";
export { recordMessage } from "./record-message.ts";
export { resetSocket } from "./reset-socket.ts";
export {
  CardAudit,
  type CardTerms,
  type CashbackEvent,
  ClipAudit,
  type Fate,
  type RewardEvent,
} from "./reward-audit.ts";
export {
  applyRoles,
  asRole,
  DATABASE_ROLES,
  type DatabaseRole,
  type NatsUser,
  type SecuredServers,
  securedServers,
} from "./secured-servers.ts";
export { type Certificate, selfSignedCertificate } from "./self-signed-certificate.ts";
export { serveHttp } from "./serve-http.ts";
export {
  createPublisher,
  endedProcesses,
  makePlatformToken,
  type Pipeline,
  type PipelineOptions,
  type ProcessName,
  type Publisher,
  type ServiceName,
  type ServiceProcess,
  startPipeline,
  TEST_NODE_FLAGS,
} from "./start-pipeline.ts";
export { LINK_FAULTS, type LinkFault, TcpProxy } from "./tcp-proxy.ts";
export { explaining, explainingStore } from "./test-plans.ts";
export { isolation, type TestServers, testServers } from "./test-servers.ts";
export { testMemberbase, testOrganisation, testStore } from "./test-store.ts";
export {
  dealRecord,
  interrupted,
  programRecord,
  type TestMember,
  testDeal,
  testMember,
  testProgram,
} from "./test-wallet.ts";
export { lockWaits, type WaitOptions, waitFor, waitForLocks } from "./wait-for.ts";
export { WebhookAudit } from "./webhook-audit.ts";
export {
  answer,
  inTurn,
  type ReceivedRequest,
  type ReceiverOptions,
  type ReceiverScript,
  type ReceiverStep,
  startWebhookReceiver,
  type WebhookReceiver,
} from "./webhook-receiver.ts";
