import { ApiError, ERRORS, type ErrorEnvelope } from "#contract";
import type { HttpResponse } from "./server.ts";

/**
 * The parts of an `ApiError` in an answer. `retryAfterSeconds` counts with `unavailable` and `rate_limited`:
 * 1 if it is absent.
 */
type Refusal = Pick<ApiError, "code" | "message"> &
  Partial<Pick<ApiError, "data" | "retryAfterSeconds" | "headers">>;

const BEARER = { "www-authenticate": "Bearer" };
const POST_ONLY = { allow: "POST" };

/** The error answer of the contract, section 2, with the header that its code requires and those of the refusal itself. */
export function errorResponse(refusal: Refusal, traceId: string): HttpResponse {
  const envelope: ErrorEnvelope = {
    error: {
      code: refusal.code,
      message: refusal.message,
      data: refusal.data ?? {},
      trace_id: traceId,
    },
  };
  const status = ERRORS[refusal.code].status;
  const body = JSON.stringify(envelope);
  const headers = headersOf(refusal);
  return headers === undefined ? { status, body } : { status, headers, body };
}

/** A success answer; `headers` in lower case. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  const body = JSON.stringify(value);
  return headers === undefined ? { status, body } : { status, headers, body };
}

function headersOf(refusal: Refusal): Readonly<Record<string, string>> | undefined {
  const required = requiredHeaders(refusal);
  return refusal.headers === undefined ? required : { ...refusal.headers, ...required };
}

function requiredHeaders(refusal: Refusal): Readonly<Record<string, string>> | undefined {
  switch (refusal.code) {
    case "authentication_error":
      return BEARER;
    case "method_not_allowed":
      return POST_ONLY;
    case "unavailable":
    case "rate_limited":
      return { "retry-after": String(Math.max(1, Math.ceil(refusal.retryAfterSeconds ?? 1))) };
    default:
      return undefined;
  }
}

/**
 * The refusal for a record that is not there.
 * @param name of its kind, in words
 * @param resource the same for programs
 */
export function notFound(name: string, resource = name): ApiError {
  return new ApiError("not_found", `no such ${name}`, { resource });
}

/**
 * Returns the record that was found.
 * @throws the result of `unknown`, if there is none
 */
export function found<T>(record: T | undefined, unknown: () => ApiError): T {
  if (record === undefined) throw unknown();
  return record;
}
