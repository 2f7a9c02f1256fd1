/** Texts with a fixed form, for code that only validates or makes them. */
export { holdsCardNumber } from "./card-number.ts";
export { isCurrency } from "./currency.ts";
export { isTimestamp, toUtcMicroseconds } from "./timestamp.ts";
export { createWebhookSecret, isWebhookSecret } from "./webhook-secret.ts";
