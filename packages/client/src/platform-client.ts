import { randomUUID } from "node:crypto";
import type {
  ListArguments,
  PlatformAnswer,
  PlatformListRouteName,
  PlatformRecordOf,
  PlatformRequestOf,
  PlatformRouteName,
} from "./api-types.ts";
import type { CallOptions } from "./client.ts";
import { type ClientOptions, Connection } from "./connection.ts";
import { PLATFORM_PREFIX, PLATFORM_ROUTES } from "./generated/platform-api.ts";
import { type CursorField, walkPages } from "./pages.ts";

/** Routes, besides reads and creates with a key, that have the same effect when a request arrives twice. */
const REPEATABLE: ReadonlySet<PlatformRouteName> = new Set<PlatformRouteName>([
  "payment/ingest",
  "loyalty-program/dry-run",
  "deal/dry-run",
  "purchase/explain",
]);

/**
 * Calls the reference platform's API: with the platform's token for programs, deals and retailers, with a
 * retailer's token for its payments. Retries and failures are as with `StampedeClient`.
 */
export class PlatformClient {
  readonly #connection: Connection;

  constructor(options: ClientOptions) {
    this.#connection = new Connection(options, PLATFORM_PREFIX);
  }

  /** Calls any route of the API, `<resource>/<action>`; bodies are as the API reference shows them. */
  call<R extends PlatformRouteName>(
    route: R,
    body: PlatformRequestOf<R>,
    { signal, idempotencyKey, onRetry, retryForMs }: CallOptions = {},
  ): Promise<PlatformAnswer<R>> {
    // An upsert with an id replaces the record of that id. An upsert without one makes a record, so it needs
    // a key that keeps a repeat from making a second. A second `retailer/rotate-token` would end the token
    // that the retailer's software still uses.
    const { read, keyed } = PLATFORM_ROUTES[route];
    const key = keyed ? (idempotencyKey ?? randomUUID()) : undefined;
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    return this.#connection.call({
      path: route,
      body,
      headers,
      repeatable: read || keyed || REPEATABLE.has(route),
      signal,
      onRetry,
      retryForMs,
    }) as Promise<PlatformAnswer<R>>;
  }

  /** All records of a kind, oldest first, page by page. */
  list<R extends PlatformListRouteName>(
    route: R,
    ...[request = {} as PlatformRequestOf<R>, options]: ListArguments<PlatformRequestOf<R>, CallOptions>
  ): AsyncGenerator<PlatformRecordOf<R>, void, undefined> {
    const field: CursorField = PLATFORM_ROUTES[route].cursor;
    const ask = (body: object) => this.call(route, body as PlatformRequestOf<R>, options);
    return walkPages(request, field, ask) as AsyncGenerator<PlatformRecordOf<R>, void, undefined>;
  }

  /** Lets open requests finish, repeats none, then closes the connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }
}
