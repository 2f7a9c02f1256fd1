import { Agent, type Dispatcher, request } from "undici";
import { PUBLISHER_PREFIX, type RequestOf, type RouteName, type TransactionEvent } from "#contract";
import type { Answer } from "./answer.ts";
import { type IngestResult, toIngestResult } from "./ingest-result.ts";
import { isRepeatable } from "./repeatable.ts";
import { type Retry, readRetryAfter, withRetries } from "./retry.ts";
import { type AnswerHead, connectionError, errorOfAnswer, StampedeError } from "./stampede-error.ts";

export interface ClientOptions {
  /** Where the service is, such as `https://stampede.example.com`; `/publisher.v1/…` is appended. */
  readonly baseUrl: string;
  /** The secret of an API token. */
  readonly token: string;
  /** Connections kept open at most; further calls wait for one. Default 16. Not used with `dispatcher`. */
  readonly connections?: number;
  /** How long one attempt waits for its answer. Default 30 s. */
  readonly timeoutMs?: number;
  /** Attempts of a call that is safe to repeat. Default 5. */
  readonly attempts?: number;
  /** Sends the requests instead of the client's own pool: for a proxy, or TLS of one's own. The caller closes it. */
  readonly dispatcher?: Dispatcher;
}

export interface CallOptions {
  /** Gives up the call, also while it waits for its next attempt. */
  readonly signal?: AbortSignal;
  /**
   * Makes a create safe to repeat, for a day: the same key and body give the first answer again. 1 to 255 printable ASCII
   * characters. Only on the routes that honour it (see the API reference).
   */
  readonly idempotencyKey?: string;
  /** Told of every attempt that failed and is followed by another. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface IngestOptions extends CallOptions {
  /** Answer as soon as the events are stored for good, before they are applied. */
  readonly respondAsync?: boolean;
}

const DEFAULT_CONNECTIONS = 16;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_ATTEMPTS = 5;
/** Below the 10 s after which the service closes an idle connection: a request must not meet its closing. */
const KEEP_ALIVE_MS = 5_000;

/**
 * Calls the publisher API. Keeps connections open between calls; `close` ends them. A call that is safe to repeat is
 * repeated when the service cannot take it now (429, 502 to 504) or the connection fails; creates are only with an
 * `idempotencyKey`. Every failure is a `StampedeError`, except that an aborted signal throws its reason.
 */
export class StampedeClient {
  readonly #root: string;
  readonly #authorization: string;
  readonly #timeoutMs: number;
  readonly #attempts: number;
  readonly #dispatcher: Dispatcher;
  readonly #ownsDispatcher: boolean;

  constructor(options: ClientOptions) {
    this.#root = new URL(options.baseUrl).href.replace(/\/+$/, "") + PUBLISHER_PREFIX;
    this.#authorization = `Bearer ${options.token}`;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS;
    this.#ownsDispatcher = options.dispatcher === undefined;
    this.#dispatcher =
      options.dispatcher ??
      new Agent({
        connections: options.connections ?? DEFAULT_CONNECTIONS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      });
  }

  /** Any call of the API by its route, `<resource>/<action>`; bodies are as the API reference shows them. */
  call<R extends RouteName>(route: R, body: RequestOf<R>, options: CallOptions = {}): Promise<Answer<R>> {
    return this.#call(route, body, options, {}) as Promise<Answer<R>>;
  }

  /**
   * Takes in card transactions, 1 to 5000 a call. Safe to repeat, also by the caller: `external_id` keeps an event from
   * counting twice. Events that the lifecycle refuses are a result, not an error.
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

  /** Makes or updates members, 1 to 5000 a call; their ids in the order given. */
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
  async close(): Promise<void> {
    if (this.#ownsDispatcher) await this.#dispatcher.close();
  }

  #call(
    route: RouteName,
    body: unknown,
    { signal, idempotencyKey, onRetry }: CallOptions,
    headers: Record<string, string>,
  ): Promise<unknown> {
    const text = JSON.stringify(body);
    const sent = { ...headers, ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }) };
    const attempts = isRepeatable(route, idempotencyKey) ? this.#attempts : 1;
    return withRetries({ attempts, signal, onRetry }, () => this.#attempt(route, text, sent, signal));
  }

  async #attempt(
    route: RouteName,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const { head, text } = await this.#exchange(route, body, headers, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw connectionError(error);
    });
    const answer = parse(text);
    if (head.status < 200 || head.status > 299 || answer === undefined) throw errorOfAnswer(head, answer);
    return answer;
  }

  async #exchange(
    route: RouteName,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<{ head: AnswerHead; text: string }> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const response = await request(this.#root + route, {
      method: "POST",
      headers: { ...headers, authorization: this.#authorization, "content-type": "application/json" },
      body,
      dispatcher: this.#dispatcher,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const head = {
      status: response.statusCode,
      traceId: single(response.headers["x-trace-id"]),
      retryAfterSeconds: readRetryAfter(single(response.headers["retry-after"]), Date.now()),
    };
    return { head, text: await response.body.text() };
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
