import { randomUUID } from "node:crypto";
import type { Answer, ListArguments, ListRouteName, RecordOf, RequestOf, RouteName } from "./api-types.ts";
import { type ClientOptions, Connection } from "./connection.ts";
import { PUBLISHER_PREFIX, PUBLISHER_ROUTES, type TransactionEvent } from "./generated/publisher-api.ts";
import { type IngestResult, toIngestResult } from "./ingest-result.ts";
import { type CursorField, walkPages } from "./pages.ts";
import type { Retry } from "./retry.ts";
import { StampedeError } from "./stampede-error.ts";

/** Writes that have the same effect when they arrive twice, because a key in their body identifies them. */
const REPEATABLE_WRITES: ReadonlySet<RouteName> = new Set<RouteName>([
  "transaction/ingest",
  "member/bulk-upsert",
  "api-token/revoke",
]);

/**
 * Whether a call may be sent again when it is unknown what became of it: reads, writes that are keyed by
 * their body, and creates with an idempotency key. On any other route the service ignores that key.
 */
export function isRepeatable(route: RouteName, idempotencyKey: string | undefined): boolean {
  const { read, keyed } = PUBLISHER_ROUTES[route];
  return read || REPEATABLE_WRITES.has(route) || (keyed && idempotencyKey !== undefined);
}

export interface CallOptions {
  /** Gives up the call, even while it waits for its next attempt. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes a create safe to repeat for a day: the same key and body give the first answer again. 1 to 255 printable
   * ASCII characters. Only the routes that honour it are sent it (see the API reference). Without it such a call makes
   * a key of its own, which covers its own attempts; give one where the same create may be called again.
   */
  readonly idempotencyKey?: string | undefined;
  /** Called after every attempt that failed and is followed by another. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Instead of the client's own `retryForMs`. */
  readonly retryForMs?: number | undefined;
}

export interface IngestOptions extends Omit<CallOptions, "idempotencyKey"> {
  /** Answer as soon as the events are stored durably, before they are applied. */
  readonly respondAsync?: boolean | undefined;
  /** Tell what became of each event: `outcomes` of the result. Not together with `respondAsync`. */
  readonly outcomes?: boolean | undefined;
}

/**
 * Calls the publisher API. Keeps connections open between calls; `close` ends them. A call that is safe to repeat is
 * repeated, for 10 minutes by default, when the service cannot take it now (429, 502 to 504), when it does not know
 * what became of events (500 with a `batch_id`), or when the connection fails. Every failure is a `StampedeError`,
 * except that an aborted signal throws its reason.
 */
export class StampedeClient {
  readonly #connection: Connection;

  constructor(options: ClientOptions) {
    this.#connection = new Connection(options, PUBLISHER_PREFIX);
  }

  /** Calls any route of the API, `<resource>/<action>`; bodies are as the API reference shows them. */
  call<R extends RouteName>(route: R, body: RequestOf<R>, options: CallOptions = {}): Promise<Answer<R>> {
    return this.#call(route, body, options, {}) as Promise<Answer<R>>;
  }

  /**
   * All records of any list of the API, page by page: `for await (const member of client.list("member/list",
   * { member_base_id }))`. `pagination.limit` of the request is the size of a page.
   */
  list<R extends ListRouteName>(
    route: R,
    ...[request = {} as RequestOf<R>, options]: ListArguments<RequestOf<R>, CallOptions>
  ): AsyncGenerator<RecordOf<R>, void, undefined> {
    const field: CursorField = PUBLISHER_ROUTES[route].cursor;
    const ask = (body: object) => this.call(route, body as RequestOf<R>, options);
    return walkPages(request, field, ask) as AsyncGenerator<RecordOf<R>, void, undefined>;
  }

  /**
   * Takes in card transactions, 1 to 5000 per call. Safe to repeat, also by the caller: `external_id` keeps
   * an event from counting twice. Events that the lifecycle refuses are part of the result, not an error.
   * @throws StampedeError when nothing was accepted, or when it is unknown what was
   */
  async ingest(events: readonly TransactionEvent[], options: IngestOptions = {}): Promise<IngestResult> {
    try {
      const headers = preferences(options);
      return (await this.#call("transaction/ingest", { events }, options, headers)) as IngestResult;
    } catch (error) {
      const result = error instanceof StampedeError ? toIngestResult(error) : undefined;
      if (result === undefined) throw error;
      return result;
    }
  }

  createMemberbase(name: string, options?: CallOptions): Promise<Answer<"member-base/create">> {
    return this.call("member-base/create", { name }, options);
  }

  /** All memberbases, oldest first, page by page. */
  listMemberbases(options?: CallOptions): AsyncGenerator<RecordOf<"member-base/list">, void, undefined> {
    return this.list("member-base/list", {}, options);
  }

  /** Makes or updates members, 1 to 5000 per call. Returns their ids in the order given. */
  upsertMembers(
    memberbaseId: string,
    members: RequestOf<"member/bulk-upsert">["members"],
    options?: CallOptions,
  ): Promise<Answer<"member/bulk-upsert">> {
    return this.call("member/bulk-upsert", { member_base_id: memberbaseId, members }, options);
  }

  getMember(key: RequestOf<"member/get">, options?: CallOptions): Promise<Answer<"member/get">> {
    return this.call("member/get", key, options);
  }

  getTransaction(externalId: string, options?: CallOptions): Promise<Answer<"transaction/get">> {
    return this.call("transaction/get", { external_id: externalId }, options);
  }

  createToken(
    token: RequestOf<"api-token/create">,
    options?: CallOptions,
  ): Promise<Answer<"api-token/create">> {
    return this.call("api-token/create", token, options);
  }

  revokeToken(id: string, options?: CallOptions): Promise<Answer<"api-token/revoke">> {
    return this.call("api-token/revoke", { id }, options);
  }

  /** Lets open calls finish, then closes the connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #call(
    route: RouteName,
    body: unknown,
    { signal, idempotencyKey, onRetry, retryForMs }: CallOptions,
    headers: Record<string, string>,
  ): Promise<unknown> {
    if (!Object.hasOwn(PUBLISHER_ROUTES, route))
      throw new TypeError(`${route} is no route that this client knows`);
    const key = PUBLISHER_ROUTES[route].keyed ? (idempotencyKey ?? randomUUID()) : undefined;
    const sent = key === undefined ? headers : { ...headers, "idempotency-key": key };
    const repeatable = isRepeatable(route, key);
    return this.#connection.call({
      path: route,
      body,
      headers: sent,
      repeatable,
      signal,
      onRetry,
      retryForMs,
    });
  }
}

function preferences({ respondAsync, outcomes }: IngestOptions): Record<string, string> {
  if (respondAsync) return { prefer: "respond-async" };
  return outcomes ? { prefer: "return=representation" } : {};
}
