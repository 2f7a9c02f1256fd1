/**
 * For tests of programs that use the client: events, signed deliveries, and a fake service. None of it
 * belongs in production.
 */
export {
  clearing,
  externalId,
  recordId,
  reversal,
  transactionEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEvent,
} from "./builders.ts";
export type { RouteAnswer } from "./fake-routes.ts";
export {
  type FakeRequest,
  FakeStampede,
  type FakeStampedeOptions,
  type Fault,
  startFakeStampede,
} from "./fake-stampede.ts";
export { refuse } from "./refusal.ts";
export {
  createWebhookSecret,
  type SignDeliveryOptions,
  type SignedDelivery,
  signDelivery,
} from "./sign-delivery.ts";
