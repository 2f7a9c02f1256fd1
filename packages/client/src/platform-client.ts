import {
  PLATFORM_PREFIX,
  type PlatformAnswerOf,
  type PlatformRequestOf,
  type PlatformRouteName,
} from "#contract/platform";
import type { CallOptions } from "./client.ts";
import { type ClientOptions, Connection } from "./connection.ts";

/**
 * Calls the reference platform's API: with the platform's token for programs, deals and retailers, with a
 * retailer's token for its payments. Retries and failures are as with `StampedeClient`; a call that makes a
 * record is not repeated.
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
    { signal, onRetry }: Omit<CallOptions, "idempotencyKey"> = {},
  ): Promise<PlatformAnswerOf<R>> {
    const repeatable = !route.endsWith("/upsert") || ("id" in body && body.id !== undefined);
    return this.#connection.call({ path: route, body, headers: {}, repeatable, signal, onRetry }) as Promise<
      PlatformAnswerOf<R>
    >;
  }

  /** All records of a kind, oldest first, page by page. */
  async *list<R extends "loyalty-program/list" | "deal/list" | "retailer/list">(
    route: R,
  ): AsyncGenerator<PlatformAnswerOf<R>["data"][number]> {
    let cursor: string | null = null;
    do {
      const body = { pagination: { cursor } } as PlatformRequestOf<R>;
      const { data, page }: PlatformAnswerOf<R> = await this.call(route, body);
      yield* data;
      cursor = page.cursor;
    } while (cursor !== null);
  }

  /** Lets open calls finish, then closes the connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }
}
