export { assertLimits } from "./assert-limits.ts";
export {
  CORE_SUBJECTS,
  EVENTS_KICK_SUBJECT,
  OWNERS_SUBJECTS,
  PARTITIONS_KICK_SUBJECT,
  REPLY_SUBJECT,
  REVOKED_SUBJECT,
  WEBHOOK_TEST_SUBJECT,
  type WebhookTestRequest,
  type WebhookTestResult,
} from "./core-subjects.ts";
export { connectionsOf, DATABASE_CONNECTIONS, LANES } from "./database-connections.ts";
export * from "./errors.ts";
export {
  configSubject,
  FLOW,
  HEADERS,
  type Hop,
  hopsOf,
  SERVICE_NAMES,
  type ServiceName,
} from "./flow.ts";
export { FORMATS } from "./formats.ts";
export { LIMITS } from "./limits.ts";
export type { PartitionPlace, ReadPlace } from "./read-place.ts";
export type { AccessLevel, RouteDefinition } from "./route.ts";
export {
  type AnswerOf,
  IDEMPOTENCY_KEY_HEADER,
  isIdempotencyKey,
  PUBLISHER_PREFIX,
  REPEATABLE_ROUTES,
  type RepeatableRoute,
  type RequestOf,
  ROUTES,
  type RouteName,
} from "./routes.ts";
export type { DealReward, ProgramReward } from "./schemas/configuration.ts";
export { EventDelivery, WebhookEvent, type WebhookEventDraft } from "./schemas/events.ts";
export type { Filter } from "./schemas/filter.ts";
export type { IgnoredEvent, RejectedEvent, TransactionEvent } from "./schemas/transaction.ts";
export {
  EVENT_PATTERNS,
  EVENT_TYPES,
  type EventPattern,
  type EventType,
  eventTypesOf,
  type WebhookState,
} from "./schemas/webhook.ts";
