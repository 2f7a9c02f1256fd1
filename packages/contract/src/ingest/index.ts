export type { DeadLetter, RedriveMessage, Settlement, SettlementMessage } from "../ingest-message.ts";
export {
  type IgnoredInPart,
  type IngestPart,
  type IngestReply,
  OUTCOME_LETTERS,
  type PartKey,
  type PartResult,
  type RejectedInPart,
  toIgnoredEvent,
  toRejectedEvent,
} from "../ingest-message.ts";
