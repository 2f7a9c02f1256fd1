export {
  beginningOf,
  DELIVERY_ERROR_CLASSES,
  type DeliveryErrorClass,
  type DeliveryPlan,
  deliveryHeaders,
  errorClassOfStatus,
  planAfterAttempt,
  readRetryAfterMs,
  retryAfterMs,
  signWebhook,
} from "./delivery-attempt.ts";
