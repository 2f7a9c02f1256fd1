import type { AnswerFrom } from "../console-routes.ts";

export type Webhook = AnswerFrom<"publisher.v1/webhook/list">["data"][number];
export type WebhookDetail = AnswerFrom<"publisher.v1/webhook/get">;
export type Delivery = AnswerFrom<"publisher.v1/webhook.delivery/list">["data"][number];
export type DeliveryDetail = AnswerFrom<"publisher.v1/webhook.delivery/get">;
export type TestOutcome = AnswerFrom<"publisher.v1/webhook/test">;

/** What waits for a webhook is counted so far (`LIMITS.pendingEventsCounted` of the contract). */
export const COUNTED_EVENTS = 10_000;

/** What a dialog that does something with a webhook is given. */
export interface ActionDialogProps {
  readonly webhook: WebhookDetail;
  /** @param what was done, in a sentence */
  onChanged(what: string): void;
  onClose(): void;
}
