import type { RepeatableRoute, RequestOf } from "#contract";
import type { HttpResponse } from "#http";
import type { Sql } from "#postgres";
import type { PublisherCall, PublisherEndpoint } from "./caller.ts";
import { defineEndpoint } from "./define-endpoint.ts";
import type { IdempotencyKeys } from "./idempotency-keys.ts";

/**
 * An endpoint that honours the header `idempotency-key`. Its work takes the `sql` that it is given, for everything: with
 * a key that is a transaction, and a second connection of the same pool might never come.
 */
export function defineRepeatable<R extends RepeatableRoute>(
  keys: IdempotencyKeys,
  route: R,
  run: (call: PublisherCall<RequestOf<R>>, sql: Sql) => Promise<HttpResponse>,
): PublisherEndpoint {
  return defineEndpoint(route, (call) => keys.answer(route, call, (sql) => run(call, sql)));
}
