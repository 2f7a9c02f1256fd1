import { LIMITS } from "./limits.ts";
import { ROUTES, type RouteName } from "./routes.ts";

export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";

/** A route that repeats the first answer when the same key and body come again (contract, section 5). */
export type RepeatableRoute = {
  [R in RouteName]: (typeof ROUTES)[R] extends { readonly repeatable: object } ? R : never;
}[RouteName];

/** The repeatable routes of the route table. An answer that holds a secret is kept sealed. */
export const REPEATABLE_ROUTES = Object.fromEntries(
  Object.entries(ROUTES).flatMap(([route, definition]) =>
    "repeatable" in definition ? [[route, definition.repeatable]] : [],
  ),
) as { readonly [R in RepeatableRoute]: (typeof ROUTES)[R]["repeatable"] };

/** `data.reason` of the conflicts that a key can meet, on every such route. */
export const IDEMPOTENCY_CONFLICTS = ["idempotency_key_reused", "in_progress", "answer_unreadable"] as const;

/** 1 to 255 printable ASCII characters, the space included. */
export function isIdempotencyKey(text: string): boolean {
  return text.length <= LIMITS.idempotencyKeyLength && /^[ -~]+$/.test(text);
}
