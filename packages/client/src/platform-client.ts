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
    // a key that keeps a repeat from making a second. Every other call has the same effect when it arrives
    // twice.
    const key = PLATFORM_ROUTES[route].keyed ? (idempotencyKey ?? randomUUID()) : undefined;
    const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
    return this.#connection.call({
      path: route,
      body,
      headers,
      repeatable: true,
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

  /** Lets open calls finish, then closes the connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }
}
