export {
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  errorClassOfStatus,
} from "./delivery-error-class.ts";
export { type DeliveryPlan, type JudgedAttempt, planAfterAttempt } from "./plan-after-attempt.ts";
export { readRetryAfterMs, retryAfterMs } from "./retry-after.ts";
export { type SignedContent, signWebhook } from "./sign-webhook.ts";
