export type { DeadLetter, RedriveMessage } from "../dead-letter.ts";
export {
  type IgnoredInPart,
  type IngestConfirmation,
  type IngestMessage,
  type IngestPart,
  type IngestReply,
  type PackedEvent,
  type PartKey,
  type PartOutcome,
  packEvent,
  packMessage,
  type RejectedInPart,
  toIgnoredEvent,
  toRejectedEvent,
} from "../ingest-message.ts";
export type { Settlement, SettlementMessage } from "../settlement-message.ts";
