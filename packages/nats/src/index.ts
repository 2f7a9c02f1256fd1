export { connectService, connectStream, type Stream } from "./connection/connect.ts";
export { askOwners, CopyGuard } from "./connection/copy-guard.ts";
export {
  answerRequests,
  askOne,
  broadcast,
  kick,
  onBroadcast,
  onKick,
  sendReply,
  subscribeReplies,
} from "./connection/core-messages.ts";
export { accountsConf, NATS_USERS, natsRights } from "./connection/nats-rights.ts";
export { readServerReport, type ServerReport, watchNats } from "./connection/watch-nats.ts";
export { bury } from "./dead-letters/bury.ts";
export {
  type Publication,
  PublishError,
  type PublishResult,
  publishOnce,
  publishOrThrow,
  STREAM_FAULTS,
  streamFaultOf,
} from "./publish/publish.ts";
export {
  countConfigMessages,
  listConfig,
  publishNewerConfig,
  readConfig,
} from "./publish/publish-newer-config.ts";
export { type CountLost, countLostMessages, GAPS, type Gap, timesOfGap } from "./read/lost-messages.ts";
export {
  messagingAttributes,
  parseJson,
  type ReadFrom,
  readPacked,
  type StreamMessage,
  UNREAD_REASONS,
  type UnreadReason,
  unstoredMessage,
} from "./read/message.ts";
export {
  type BatchHandler,
  eachMessage,
  type FinalResult,
  type HandledBatch,
  type LoopObserver,
  LostPartitions,
  type MessageHandler,
  type MessageResult,
  toMessageResult,
  UnpublishedPartitions,
} from "./read/message-result.ts";
export { OrderedLoop } from "./read/ordered-loop.ts";
export type { OrderedSteps, PreparedMessages } from "./read/ordered-steps.ts";
export { longestPauseMs } from "./read/publications.ts";
export { type Replay, tellReplay } from "./read/replay-progress.ts";
export { ReplayWindow } from "./read/replay-window.ts";
export {
  type PartitionPosition,
  type PlaceKeeper,
  UnorderedLoop,
  type UnorderedLoopOptions,
} from "./read/unordered-loop.ts";
export { inspectTopology } from "./streams/inspect-topology.ts";
export { readStream, type StreamPlace, type StreamReading, streamPlaces } from "./streams/read-stream.ts";
export { streamName, subjectName } from "./streams/stream-names.ts";
export {
  purgeThrough,
  readPartitions,
  readStreamIfThere,
  readStreamState,
  type StreamState,
  stateOfSame,
} from "./streams/stream-state.ts";
export { ensureStream, ensureTopology, type TopologyOptions, topologyOf } from "./streams/topology.ts";
export { watchStreams } from "./streams/watch-streams.ts";
