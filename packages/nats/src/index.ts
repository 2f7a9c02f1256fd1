export { connectService, connectStream, type Stream } from "./connect.ts";
export { askOwners, CopyGuard } from "./copy-guard.ts";
export {
  answerRequests,
  askOne,
  broadcast,
  hasListener,
  kick,
  onBroadcast,
  onKick,
  sendReply,
  subscribeReplies,
} from "./core-messages.ts";
export { bury } from "./dead-letters/bury.ts";
export { inspectTopology } from "./inspect-topology.ts";
export { type CountLost, countLostMessages, GAPS, type Gap, timesOfGap } from "./lost-messages.ts";
export {
  messagingAttributes,
  parseJson,
  type ReadFrom,
  readPacked,
  type StreamMessage,
  UNREAD_REASONS,
  type UnreadReason,
  unstoredMessage,
} from "./message.ts";
export { accountsConf, NATS_USERS, natsRights } from "./nats-rights.ts";
export { OrderedLoop, type OrderedSteps, type PreparedMessages } from "./ordered-loop.ts";
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
} from "./outcome.ts";
export {
  type Publication,
  PublishError,
  type PublishResult,
  publishOnce,
  publishOrThrow,
  STREAM_FAULTS,
  streamFaultOf,
} from "./publish.ts";
export { countConfigMessages, listConfig, publishNewerConfig, readConfig } from "./publish-newer-config.ts";
export { readStream, type StreamPlace, type StreamReading, streamPlaces } from "./read-stream.ts";
export { type Replay, tellReplay } from "./replay-progress.ts";
export { ReplayWindow } from "./replay-window.ts";
export { streamName, subjectName } from "./stream-names.ts";
export {
  purgeThrough,
  readPartitions,
  readStreamIfThere,
  readStreamState,
  type StreamState,
  stateOfSame,
} from "./stream-state.ts";
export { ensureTopology, type TopologyOptions, topologyOf } from "./topology.ts";
export type { ReadPlace } from "./unordered-feed.ts";
export {
  type PartitionPlace,
  type PartitionPosition,
  type PlaceKeeper,
  UnorderedLoop,
  type UnorderedLoopOptions,
} from "./unordered-loop.ts";
export { readServerReport, type ServerReport, watchNats } from "./watch-nats.ts";
export { watchStreams } from "./watch-streams.ts";
