export {
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  errorClassOfStatus,
} from "./delivery-error-class.ts";
export { planAfterAttempt } from "./plan-after-attempt.ts";
export { readRetryAfterMs, retryAfterMs } from "./retry-after.ts";
export { signWebhook } from "./sign-webhook.ts";
