/**
 * For the tests of what is built on the client: events, signed deliveries, and a service that is none. Nothing of it
 * belongs into production.
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
