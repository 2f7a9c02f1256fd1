export {
  beginningOf,
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  type DeliveryPlan,
  deliveryHeaders,
  errorClassOfStatus,
  type Failing,
  failedAgain,
  planAfterAttempt,
  readRetryAfterMs,
  retryAfterMs,
  signWebhook,
} from "./delivery-attempt.ts";
