export {
  type BatchHandler,
  BatchLoop,
  type HandledBatch,
  type LoopObserver,
  type Outcome,
  type StreamMessage,
} from "./batch-loop.ts";
export { broadcast, onBroadcast } from "./broadcast.ts";
export { connectStream, type Stream } from "./connect.ts";
export { bury, readDeadLetters, redrive, type StoredDeadLetter } from "./dead-letters.ts";
export { type Publication, type PublishResult, publishOnce, publishOrThrow } from "./publish.ts";
export { publishConfig } from "./publish-config.ts";
export { sendReply, subscribeReplies } from "./replies.ts";
export { type MessageHandler, SharedLoop, type SharedMessage } from "./shared-loop.ts";
export { ensureTopology, readPartitions, streamName, subjectName, type TopologyOptions } from "./topology.ts";
export { watchStreams } from "./watch-streams.ts";
