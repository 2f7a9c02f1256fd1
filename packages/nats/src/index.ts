export { accountsConf } from "./accounts-conf.ts";
export { acknowledgedMessages } from "./acknowledged-messages.ts";
export { broadcast, onBroadcast } from "./broadcast.ts";
export { connectStream, inboxPrefixOf, type Stream } from "./connect.ts";
export { connectService } from "./connect-service.ts";
export { bury, readDeadLetters, redrive, type StoredDeadLetter } from "./dead-letters.ts";
export { inspectTopology, type StreamFinding, type TopologyReport } from "./inspect-topology.ts";
export { kick, onKick } from "./kick.ts";
export { messagingAttributes } from "./messaging-attributes.ts";
export { type Installation, NATS_USERS, type NatsRights, type NatsUser, natsRights } from "./nats-rights.ts";
export type { LoopObserver, Outcome } from "./outcome.ts";
export {
  type BatchHandler,
  type HandledBatch,
  LostPartitions,
  OwnedLoop,
  type StreamMessage,
} from "./owned-loop.ts";
export { parseJson } from "./parse-json.ts";
export {
  type Publication,
  PublishError,
  type PublishResult,
  publishOnce,
  publishOrThrow,
} from "./publish.ts";
export { publishConfig } from "./publish-config.ts";
export { countConfigMessages, publishNewerConfig } from "./publish-newer-config.ts";
export { readPacked, UNREAD_REASONS, type UnreadReason } from "./read-packed.ts";
export { hasListener, sendReply, subscribeReplies } from "./replies.ts";
export { answerRequests, askOne } from "./requests.ts";
export {
  eachMessage,
  type MessageHandler,
  type SharedBatchHandler,
  SharedLoop,
  type SharedLoopOptions,
  type SharedMessage,
} from "./shared-loop.ts";
export { STREAM_FAULTS, type StreamFault, streamFaultOf } from "./stream-fault.ts";
export { purgeThrough, readStreamState, readStreamStateForSure, type StreamState } from "./stream-state.ts";
export { readServerReport, type ServerReport, type SyncMode } from "./sync-mode.ts";
export {
  ensureSharedConsumers,
  ensureTopology,
  readPartitions,
  streamName,
  subjectName,
  type TopologyOptions,
  topologyOf,
} from "./topology.ts";
export { type NatsWatch, watchNats } from "./watch-nats.ts";
export { watchStreams } from "./watch-streams.ts";
