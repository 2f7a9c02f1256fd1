import { createHash } from "node:crypto";
import { ApiError, IDEMPOTENCY_KEY_HEADER, type Issue, isIdempotencyKey, LIMITS } from "#contract";
import { findIssues, type RequestIssues, type Validate } from "#contract/validation";
import { canonicalJson } from "#domain";
import type { Call } from "./api.ts";
import { findRepeatedKey, shapeOf } from "./repeated-key.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The value of a request's body.
 * @throws ApiError `bad_request` naming the fault and its place
 */
export function readBody(validate: Validate, bytes: Uint8Array): unknown {
  // Before parsing: JSON.parse takes 2 s for four million nested arrays, and blocks the event loop.
  const shape = shapeOf(bytes, LIMITS.bodyDepth);
  if (shape.depth > LIMITS.bodyDepth) {
    const message = `is nested deeper than ${LIMITS.bodyDepth} levels`;
    throw badRequest(`the body ${message}`, { path: "", message });
  }
  const body = parseBody(bytes);
  if (!validate(body)) throw malformed(findIssues(validate, body, bytes.length));
  const repeated = findRepeatedKey(bytes, shape, body);
  if (repeated !== undefined) {
    throw badRequest(`${repeated} is given twice`, { path: repeated, message: "is given twice" });
  }
  return body;
}

function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw badRequest("the body is not UTF-8", { path: "", message: "is not UTF-8" });
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the input, which may be card data.
    throw badRequest("the body is not JSON", { path: "", message: "is not JSON" });
  }
}

/** A `bad_request` that names several faults, of `total`. */
export function malformed({ issues, total }: RequestIssues): ApiError {
  const [{ path, message }] = issues;
  const first = `${path === "" ? "the body" : path} ${message}`;
  const told = total === 1 ? first : `${first}, and ${total - 1} more`;
  const data = total > issues.length ? { issues, issues_total: total } : { issues };
  return new ApiError("bad_request", told, data);
}

/** A `bad_request` with the place of the fault in the body. */
export function badRequest(message: string, issue: Issue): ApiError {
  return new ApiError("bad_request", message, { issues: [issue] });
}

/**
 * The idempotency key of a request, with the SHA-256 of everything that must be equal in a repetition;
 * undefined without a key.
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
