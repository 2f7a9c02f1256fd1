import { createHash } from "node:crypto";
import { ApiError, IDEMPOTENCY_KEY_HEADER, isIdempotencyKey, LIMITS } from "#contract";
import { canonicalJson } from "#domain";
import { badRequest, type Call } from "./api.ts";

/**
 * The idempotency key that a request carries, with the SHA-256 of what must be equal in a repetition; undefined without.
 * @throws ApiError `bad_request` for one that may not be a key
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

/** Why a request is not answered under its key: that was used with another body, or the first one is not done yet. */
export function keyConflict(kind: "reused" | "in_progress"): ApiError {
  return kind === "reused"
    ? new ApiError("conflict", "this idempotency key was used with another body", {
        reason: "idempotency_key_reused",
      })
    : new ApiError("conflict", "a request with this idempotency key is under way; send it again later", {
        reason: "in_progress",
      });
}
