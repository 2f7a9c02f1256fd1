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
  /** Those that are not closed and have not failed. */
  readonly #streams = new Set<EventStream>();

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

  /**
   * Takes events one by one and sends them in requests of many, several at a time. It repeats what fails, keeps the
   * order of the events of one `external_id`, and loses nothing without saying so.
   * @throws RangeError for an option that is out of its range
   */
  stream(options: StreamOptions = {}): EventStream {
    const { respondAsync } = options;
    const headers = { prefer: respondAsync ? "respond-async" : "return=representation" };
    const post = (json: string, signal: AbortSignal) => this.#post(json, signal, headers);
    const stream: EventStream = new IngestStream(post, options, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    return stream;
  }

  /**
   * Sends everything that a source gives through a stream of its own, and yields each event with what became of
   * it, in the source's order. At most `maxBuffered` events are ahead of the consumer.
   * @throws UndeliveredError if the stream fails; what the source throws, behind the outcomes of everything before
   */
  ingestAll<E extends TransactionEvent>(
    source: EventSource<E>,
    options: StreamOptions = {},
  ): AsyncGenerator<EventResult<E>, void, undefined> {
    return ingestAll(source, this.stream(options), checkedOptions(options).maxBuffered);
  }

  /** Finds the ids of a memberbase's members by their refs, many at a time, and remembers them. */
  members(options: MemberOptions): MemberResolver {
    return new MemberLookUps((request) => this.call("member/bulk-upsert", request), options);
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

  /**
   * Closes the streams that are open, lets open calls finish, then closes the connections.
   * @throws what closing a stream throws: UndeliveredError, UnheardRejectionsError
   */
  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.#streams].map((stream) => stream.close()));
    await this.#connection.close();
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }

  /** One attempt: a stream repeats its requests itself. A refusal of some events is an answer. */
  async #post(json: string, signal: AbortSignal, headers: Record<string, string>): Promise<IngestAnswer> {
    const call = { path: "transaction/ingest", json, headers, repeatable: false, signal };
    try {
      return (await this.#connection.call({ ...call, onRetry: undefined })) as IngestAnswer;
    } catch (error) {
      if (!(error instanceof StampedeError) || toIngestResult(error) === undefined) throw error;
      return error.data;
    }
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
