import { randomUUID } from "node:crypto";
import type { Answer, ListArguments, ListRouteName, RecordOf, RequestOf, RouteName } from "./api-types.ts";
import { type ClientOptions, Connection } from "./connection.ts";
import { PUBLISHER_PREFIX, PUBLISHER_ROUTES, type TransactionEvent } from "./generated/publisher-api.ts";
import { type IngestResult, toIngestResult } from "./ingest-result.ts";
import { type CursorField, walkPages } from "./pages.ts";
import type { Retry } from "./retry.ts";
import { StampedeError } from "./stampede-error.ts";
import type { EventResult } from "./stream/event-outcome.ts";
import { ingestAll } from "./stream/ingest-all.ts";
import { IngestStream } from "./stream/ingest-stream.ts";
import { MemberLookUps, type MemberOptions, type MemberResolver } from "./stream/member-resolver.ts";
import type { IngestAnswer } from "./stream/read-answer.ts";
import {
  checkedOptions,
  type EventSource,
  type EventStream,
  type StreamOptions,
} from "./stream/stream-options.ts";

/** Writes that have the same effect when they arrive twice, because a key in their body identifies them. */
const REPEATABLE_WRITES: ReadonlySet<RouteName> = new Set<RouteName>([
  "transaction/ingest",
  "member/bulk-upsert",
  "api-token/revoke",
]);

/**
 * Whether the client may repeat a call whose effect it does not know: reads, writes that their body keys, and
 * creates with an idempotency key. On any other route the service ignores that key.
 */
export function isRepeatable(route: RouteName, idempotencyKey: string | undefined): boolean {
  const { read, keyed } = PUBLISHER_ROUTES[route];
  return read || REPEATABLE_WRITES.has(route) || (keyed && idempotencyKey !== undefined);
}

export interface CallOptions {
  /** Gives up the call, even while it waits for its next attempt. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes a create safe to repeat for a day: the same key and body give the first answer again. 1 to 255
   * printable ASCII characters. The client sends it only to the routes that honour it (see the API
   * reference). Without it the client makes a key for each such call, which covers only the attempts of that
   * call: give one if your program may make the same call again.
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
  /** Return the outcome of each event: `outcomes` of the result. Not together with `respondAsync`. */
  readonly outcomes?: boolean | undefined;
}

/**
 * Calls the publisher API. Keeps connections open between calls; `close` ends them. A call that is safe to
 * repeat is repeated, for 10 minutes by default, when the service cannot take it now (429, 502 to 504), when
 * the service does not know the fate of events (500 with a `batch_id`), or when the connection fails. Every
 * failure is a `StampedeError`, except that an aborted signal throws its reason.
 */
export class StampedeClient {
  readonly #connection: Connection;
  /** Streams that are neither closed nor failed. */
  readonly #streams = new Set<EventStream>();
  #closing: Promise<void> | undefined;

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
   * Sends card transactions, 1 to 5000 per call. Safe to repeat, also by the caller: `external_id` keeps an
   * event from counting twice. Events that the lifecycle refuses are part of the result, not an error.
   * @throws StampedeError when the service accepted nothing, or when the client does not know what it
   *   accepted
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

  /**
   * Takes events one by one and sends them in requests of many, several requests at a time. Repeats failed
   * requests, keeps the order of the events of one `external_id`, and reports every event that it could not
   * deliver.
   * @throws RangeError for an option that is out of its range
   */
  stream(options: StreamOptions = {}): EventStream {
    const { respondAsync } = options;
    const headers = { prefer: respondAsync ? "respond-async" : "return=representation" };
    const post = (json: string, signal: AbortSignal) => this.#post(json, signal, headers);
    const stream: EventStream = new IngestStream(post, options, {
      onEnd: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
    return stream;
  }

  /**
   * Sends all events of a source through a new stream, and yields each event with its outcome, in the
   * source's order. At most `maxBuffered` events are ahead of the consumer. If the consumer leaves early, all events that the
   * source gave before are delivered; one that an asynchronous source gives after that is dropped.
   * @throws UndeliveredError if the stream fails; the source's own error, after the outcomes of all events
   *   before it
   */
  ingestAll<E extends TransactionEvent>(
    source: EventSource<E>,
    options: StreamOptions = {},
  ): AsyncGenerator<EventResult<E>, void, undefined> {
    return ingestAll(source, this.stream(options), checkedOptions(options).maxBuffered);
  }

  /** Finds the ids of a memberbase's members by their refs, many at a time, and remembers them. */
  members(options: MemberOptions): MemberResolver {
    const { onRetry } = options;
    return new MemberLookUps(
      {
        upsert: (request) => this.call("member/bulk-upsert", request, { onRetry }),
        list: (request) => this.list("member/list", request, { onRetry }),
      },
      options,
    );
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

  /**
   * Closes the streams that are open, lets open requests finish, repeats none, then closes the connections. Every further
   * call gives the first one's result.
   * @throws what closing a stream throws: UndeliveredError, UnheardRejectionsError
   */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const closed = await Promise.allSettled([...this.#streams].map((stream) => stream.close()));
    await this.#connection.close();
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }

  /** One attempt: a stream repeats its requests itself. A refusal of some events is an answer. */
  async #post(json: string, signal: AbortSignal, headers: Record<string, string>): Promise<IngestAnswer> {
    const own = { repeatable: false, onRetry: undefined, retryForMs: undefined };
    try {
      const call = { path: "transaction/ingest", json, headers, signal, ...own };
      return (await this.#connection.call(call)) as IngestAnswer;
    } catch (error) {
      if (!(error instanceof StampedeError) || toIngestResult(error) === undefined) throw error;
      return error.data;
    }
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
