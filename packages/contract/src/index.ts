export type { DeadLetter, RedriveMessage } from "./dead-letter.ts";
export * from "./errors.ts";
export { FLOW, HEADERS, type Hop, type HopName, REPLY_SUBJECT } from "./flow.ts";
export { FORMATS } from "./formats.ts";
export { VALIDATORS } from "./generated/validators.ts";
export {
  type IngestMessage,
  type IngestPart,
  type IngestReply,
  type PackedEvent,
  type PartOutcome,
  packEvent,
  packMessage,
  type RejectedInPart,
  toRejectedEvent,
} from "./ingest-message.ts";
export { assertLimits, LIMITS } from "./limits.ts";
export {
  type AccessLevel,
  type AnswerOf,
  PUBLISHER_PREFIX,
  type RequestOf,
  ROUTES,
  type RouteName,
} from "./routes.ts";
export { describeViolation, type SchemaViolation } from "./schema-issue.ts";
export type { AttributeValue } from "./schemas/member.ts";
export { PlatformMessage, PlatformRecord } from "./schemas/platform.ts";
export type { RejectedEvent, TransactionEvent } from "./schemas/transaction.ts";
export type { Settlement, SettlementMessage } from "./settlement-message.ts";
