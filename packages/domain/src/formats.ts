/** The texts that have a form of their own, apart from the rest of the domain: whoever only validates or makes them needs no more. */
export { holdsCardNumber } from "./card-number.ts";
export { isCurrency } from "./currency.ts";
export { isTimestamp, toUtcMicroseconds } from "./timestamp.ts";
export { createWebhookSecret, isWebhookSecret } from "./webhook-secret.ts";
