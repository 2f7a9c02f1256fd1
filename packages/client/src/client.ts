import type { Static, TSchema } from "typebox";
import {
  type IgnoredEvent,
  PUBLISHER_PREFIX,
  REPEATABLE_ROUTES,
  type RejectedEvent,
  type RequestOf,
  ROUTES,
  type RouteName,
  type TransactionEvent,
} from "#contract";
import { type ClientOptions, Connection } from "./connection.ts";
import type { Retry } from "./retry.ts";
import { StampedeError } from "./stampede-error.ts";

type AnswersOf<R extends RouteName> = (typeof ROUTES)[R]["answers"];
type BodyOf<S> = S extends TSchema ? Static<S> : never;

/** The body of any success answer of a route. */
export type Answer<R extends RouteName> = BodyOf<AnswersOf<R>[keyof AnswersOf<R>]>;

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
  if (ROUTES[route].access === "read" || REPEATABLE_WRITES.has(route)) return true;
  return idempotencyKey !== undefined && Object.hasOwn(REPEATABLE_ROUTES, route);
}

/**
 * What became of the events of one request.
 *
 * - `processed`: all of them are applied and committed.
 * - `accepted`: all of them are stored durably and will be applied; the answer did not wait for the outcome.
 * - `rejected`: the listed ones were refused, all others (`accepted`) are applied and committed.
 */
export type IngestResult =
  | Answer<"transaction/ingest">
  | {
      readonly status: "rejected";
      readonly accepted: number;
      readonly rejected: readonly RejectedEvent[];
      /** The first of the events with ignored fields, and how many there are. Absent if there are none. */
      readonly ignored?: readonly IgnoredEvent[];
      readonly ignored_total?: number;
      /** Names the request in the service's log. */
      readonly trace_id: string | undefined;
    };

/**
 * The result that a refusal carries; undefined if the whole request was refused, and not some of its events.
 */
export function toIngestResult(error: StampedeError): IngestResult | undefined {
  const { rejected, accepted, ignored, ignored_total } = error.data;
  if (!Array.isArray(rejected) || typeof accepted !== "number") return undefined;
  return {
    status: "rejected",
    accepted,
    rejected: rejected as RejectedEvent[],
    ...(Array.isArray(ignored) && { ignored, ignored_total: Number(ignored_total) }),
    trace_id: error.traceId,
  };
}

export interface CallOptions {
  /** Gives up the call, even while it waits for its next attempt. */
  readonly signal?: AbortSignal;
  /**
   * Makes a create safe to repeat for a day: the same key and body give the first answer again. 1 to 255
   * printable ASCII characters. Only on the routes that honour it (see the API reference).
   */
  readonly idempotencyKey?: string;
  /** Called after every attempt that failed and is followed by another. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface IngestOptions extends CallOptions {
  /** Answer as soon as the events are stored durably, before they are applied. */
  readonly respondAsync?: boolean;
}

/**
 * Calls the publisher API. Keeps connections open between calls; `close` ends them. A call that is safe to
 * repeat is repeated when the service cannot take it now (429, 502 to 504) or when the connection fails; a
 * create is safe to repeat only with an `idempotencyKey`. Every failure is a `StampedeError`, except that an
 * aborted signal throws its reason.
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
   * Takes in card transactions, 1 to 5000 per call. Safe to repeat, also by the caller: `external_id` keeps
   * an event from counting twice. Events that the lifecycle refuses are part of the result, not an error.
   * @throws StampedeError when nothing was accepted, or when it is unknown what was
   */
  async ingest(events: readonly TransactionEvent[], options: IngestOptions = {}): Promise<IngestResult> {
    const headers: Record<string, string> = options.respondAsync ? { prefer: "respond-async" } : {};
    try {
      return (await this.#call("transaction/ingest", { events }, options, headers)) as IngestResult;
    } catch (error) {
      const result = error instanceof StampedeError ? toIngestResult(error) : undefined;
      if (result === undefined) throw error;
      return result;
    }
  }

  createMemberbase(name: string, options?: CallOptions) {
    return this.call("member-base/create", { name }, options);
  }

  /** All memberbases, oldest first, page by page. */
  async *listMemberbases(options?: CallOptions): AsyncGenerator<Answer<"member-base/get">> {
    let cursor: string | null = null;
    do {
      const { data, page }: Answer<"member-base/list"> = await this.call(
        "member-base/list",
        { pagination: { cursor } },
        options,
      );
      yield* data;
      cursor = page.cursor;
    } while (cursor !== null);
  }

  /** Makes or updates members, 1 to 5000 per call. Returns their ids in the order given. */
  upsertMembers(
    memberbaseId: string,
    members: RequestOf<"member/bulk-upsert">["members"],
    options?: CallOptions,
  ) {
    return this.call("member/bulk-upsert", { member_base_id: memberbaseId, members }, options);
  }

  getMember(key: RequestOf<"member/get">, options?: CallOptions) {
    return this.call("member/get", key, options);
  }

  getTransaction(externalId: string, options?: CallOptions) {
    return this.call("transaction/get", { external_id: externalId }, options);
  }

  createToken(token: RequestOf<"api-token/create">, options?: CallOptions) {
    return this.call("api-token/create", token, options);
  }

  revokeToken(id: string, options?: CallOptions) {
    return this.call("api-token/revoke", { id }, options);
  }

  /** Lets open calls finish, then closes the connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #call(
    route: RouteName,
    body: unknown,
    { signal, idempotencyKey, onRetry }: CallOptions,
    headers: Record<string, string>,
  ): Promise<unknown> {
    const sent = { ...headers, ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }) };
    const repeatable = isRepeatable(route, idempotencyKey);
    return this.#connection.call({ path: route, body, headers: sent, repeatable, signal, onRetry });
  }
}
