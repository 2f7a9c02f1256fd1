import {
  ApiError,
  ERRORS,
  type ErrorCode,
  LIMITS,
  REPEATABLE_ROUTES,
  type RepeatableRoute,
  type RequestOf,
} from "#contract";
import { type HttpResponse, keyConflict, readIdempotencyKey } from "#http";
import {
  answerOnce,
  type KeptAnswer,
  type KeyedRequest,
  keptAnswerContext,
  type SharedStore,
  type Sql,
} from "#postgres";
import type { SecretBox } from "#runtime";
import { defineEndpoint, type PublisherCall, type PublisherEndpoint } from "./endpoint.ts";

/**
 * Defines an endpoint that honours the header `idempotency-key`. Its work must use only the `sql` that it
 * receives. With a key, that is a database transaction; waiting for a second connection of the same pool
 * inside it might never end.
 */
export function defineRepeatable<R extends RepeatableRoute>(
  keys: IdempotencyKeys,
  route: R,
  run: (call: PublisherCall<RequestOf<R>>, sql: Sql) => Promise<HttpResponse>,
): PublisherEndpoint {
  return defineEndpoint(route, (call) => keys.answer(route, call, (sql) => run(call, sql)));
}

/** Refusals that an operation gives after reading the data. All others may differ the next time. */
const REMEMBERED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["not_found", "conflict"]);
/**
 * From this status on, a stored answer is a refusal: code, message and data, without the trace of its
 * request.
 */
const FIRST_ERROR_STATUS = 400;

type Result = { readonly response: HttpResponse } | { readonly refusal: ApiError };

/**
 * Repeats the first answer to a request that carries the idempotency key of an earlier one (contract, section
 * 5). Requests that were refused before the operation (400, 401, 403, 429) or that failed (5xx) are not
 * remembered.
 */
export class IdempotencyKeys {
  readonly #store: SharedStore;
  readonly #secrets: SecretBox;

  /** @param secrets seals the answers that hold a secret */
  constructor(store: SharedStore, secrets: SecretBox) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /**
   * @param work does the operation with the `sql` that it receives, and has no other effect: with a key, that
   * is a database
   *   transaction, which may be rolled back
   */
  async answer(
    route: RepeatableRoute,
    call: PublisherCall,
    work: (sql: Sql) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const given = readIdempotencyKey(call);
    const { organisationId } = call.caller;
    const store = this.#store.lineOf(organisationId);
    if (given === undefined) return work(store);
    const request: KeyedRequest = { organisationId, route, ...given };
    const answered = await answerOnce<Result>(store, request, LIMITS.idempotencyKeyKeptMs, {
      run: async (sql) => ({ response: await work(sql) }),
      readRefusal: (error) =>
        error instanceof ApiError && REMEMBERED.has(error.code) ? { refusal: error } : undefined,
      keep: (outcome) => this.#keep(request, outcome),
    });
    switch (answered.kind) {
      case "first":
        return answerOf(answered.outcome);
      case "again":
        return answerOf(readAnswer(answered.answer.status, this.#open(request, answered.answer)));
      default:
        throw keyConflict(answered.kind);
    }
  }

  #keep(request: KeyedRequest, outcome: Result): KeptAnswer {
    const { status, bytes } = writeAnswer(outcome);
    const { secretInAnswer } = REPEATABLE_ROUTES[request.route as RepeatableRoute];
    if (!secretInAnswer) return { status, keyId: null, bytes };
    return { status, ...this.#secrets.seal(bytes, keptAnswerContext(request)) };
  }

  #open(request: KeyedRequest, { keyId, bytes }: KeptAnswer): Uint8Array {
    if (keyId === null) return bytes;
    try {
      return this.#secrets.open({ keyId, bytes }, keptAnswerContext(request));
    } catch {
      throw new ApiError(
        "conflict",
        `the request was answered before, and its answer is sealed with the encryption key ${keyId}, which does not open ` +
          "it any more; look for what was created, or create it again with another idempotency key",
        { reason: "answer_unreadable" },
      );
    }
  }
}

function answerOf(outcome: Result): HttpResponse {
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.response;
}

interface RefusalRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly data: Record<string, unknown>;
}

function writeAnswer(outcome: Result): { status: number; bytes: Uint8Array } {
  if ("response" in outcome) {
    const { status, body } = outcome.response;
    return { status, bytes: Buffer.from(body) };
  }
  const { code, message, data } = outcome.refusal;
  const record: RefusalRecord = { code, message, data };
  return { status: ERRORS[code].status, bytes: Buffer.from(JSON.stringify(record)) };
}

function readAnswer(status: number, bytes: Uint8Array): Result {
  const body = Buffer.from(bytes).toString();
  if (status < FIRST_ERROR_STATUS) return { response: { status, body } };
  const { code, message, data } = JSON.parse(body) as RefusalRecord;
  return { refusal: new ApiError(code, message, data) };
}
