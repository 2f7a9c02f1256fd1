export {
  beginningOf,
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  type DeliveryPlan,
  errorClassOfStatus,
  planAfterAttempt,
  readRetryAfterMs,
  retryAfterMs,
  signWebhook,
} from "./delivery-attempt.ts";
