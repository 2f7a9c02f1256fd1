import { createHash } from "node:crypto";
import {
  ApiError,
  IDEMPOTENCY_KEY_HEADER,
  isIdempotencyKey,
  LIMITS,
  type PlatformRouteName,
} from "#contract";
import { canonicalJson } from "#domain";
import { badRequest } from "#http";
import { answerOnce, type Sql, type Store } from "#postgres";
import type { PlatformCall } from "./caller.ts";
import { PLATFORM_KEYS } from "./platform-keys.ts";

/** What a request made: by itself, or an earlier one with the same key and body. */
export interface Made {
  readonly kind: "first" | "again";
  /** As an answer has it. Nothing secret is kept, so nothing secret is in it. */
  readonly record: object;
}

/**
 * Upserts that make a record give the first answer again to the same key and body, for a day (contract, sections 5 and 8).
 * A refusal is not remembered: who has mended its cause sends the same again.
 */
export class IdempotencyKeys {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param work does it with the `sql` that it is given, which is a transaction where there is a key */
  async make(
    route: PlatformRouteName,
    call: PlatformCall,
    work: (sql: Store | Sql) => Promise<object>,
  ): Promise<Made> {
    const key = readKey(call);
    if (key === undefined) return { kind: "first", record: await work(this.#store) };
    const requestHash = createHash("sha256").update(canonicalJson(call.body)).digest();
    const request = { ...PLATFORM_KEYS, route, key, requestHash };
    const answered = await answerOnce<object>(this.#store, request, LIMITS.idempotencyKeyKeptMs, {
      run: work,
      readRefusal: () => undefined,
      keep: (record) => ({ status: 200, keyId: null, bytes: Buffer.from(JSON.stringify(record)) }),
    });
    switch (answered.kind) {
      case "first":
        return { kind: "first", record: answered.outcome };
      case "again":
        return { kind: "again", record: JSON.parse(Buffer.from(answered.answer.bytes).toString()) };
      case "reused":
        throw conflict("idempotency_key_reused", "this idempotency key was used with another body");
      case "in_progress":
        throw conflict(
          "in_progress",
          "a request with this idempotency key is under way; send it again later",
        );
    }
  }
}

function readKey(call: PlatformCall): string | undefined {
  const key = call.header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined || isIdempotencyKey(key)) return key;
  const message = `the header ${IDEMPOTENCY_KEY_HEADER} must be 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters`;
  throw badRequest(message, { path: "", message });
}

function conflict(reason: string, message: string): ApiError {
  return new ApiError("conflict", message, { reason });
}
