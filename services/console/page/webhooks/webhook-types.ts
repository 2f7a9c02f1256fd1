import type { AnswerFrom } from "../console-routes.ts";

export type Webhook = AnswerFrom<"publisher.v1/webhook/list">["data"][number];
export type WebhookDetail = AnswerFrom<"publisher.v1/webhook/get">;
export type Delivery = AnswerFrom<"publisher.v1/webhook.delivery/list">["data"][number];
export type DeliveryDetail = AnswerFrom<"publisher.v1/webhook.delivery/get">;
export type TestAnswer = AnswerFrom<"publisher.v1/webhook/test">;

/** The most waiting events that the API counts (`LIMITS.pendingEventsCounted` of the contract). */
export const COUNTED_EVENTS = 10_000;

/** Of a button that does something with a webhook. */
export interface ActionProps {
  readonly webhook: WebhookDetail;
  /** @param what a sentence that says what was done */
  onChanged(what: string): void;
}
