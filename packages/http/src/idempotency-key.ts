import { createHash } from "node:crypto";
import { ApiError, IDEMPOTENCY_KEY_HEADER, isIdempotencyKey, LIMITS } from "#contract";
import { canonicalJson } from "#domain";
import type { Call } from "./api.ts";
import { badRequest } from "./read-body.ts";

/**
 * The idempotency key of a request, with the SHA-256 of what must be the same when it is repeated; undefined
 * without a key.
 * @throws ApiError `bad_request` if the header cannot be a key
 */
export function readIdempotencyKey(call: Pick<Call<unknown>, "header" | "body">) {
  const key = call.header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined) return undefined;
  if (!isIdempotencyKey(key)) {
    const message = `the header ${IDEMPOTENCY_KEY_HEADER} must be 1 to ${LIMITS.idempotencyKeyLength} printable ASCII characters`;
    throw badRequest(message, { path: "", message });
  }
  return { key, requestHash: createHash("sha256").update(canonicalJson(call.body)).digest() };
}

/** The conflict of a key that was used with another body, or whose first request is not done yet. */
export function keyConflict(kind: "reused" | "in_progress"): ApiError {
  return kind === "reused"
    ? new ApiError("conflict", "this idempotency key was used with another body", {
        reason: "idempotency_key_reused",
      })
    : new ApiError("conflict", "a request with this idempotency key is under way; send it again later", {
        reason: "in_progress",
      });
}
