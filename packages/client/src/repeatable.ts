import { REPEATABLE_ROUTES, ROUTES, type RouteName } from "#contract";

/** Writes that mean the same when they arrive twice, by the key in their own body. */
const REPEATABLE_WRITES: ReadonlySet<RouteName> = new Set<RouteName>([
  "transaction/ingest",
  "member/bulk-upsert",
  "api-token/revoke",
]);

/**
 * Whether a call may be sent again without knowing what became of it: reads, writes that are keyed by their body, and
 * creates that carry an idempotency key. On any other route the service does not look at the key.
 */
export function isRepeatable(route: RouteName, idempotencyKey: string | undefined): boolean {
  if (ROUTES[route].access === "read" || REPEATABLE_WRITES.has(route)) return true;
  return idempotencyKey !== undefined && Object.hasOwn(REPEATABLE_ROUTES, route);
}
