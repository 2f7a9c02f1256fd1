/**
 * The error catalogue (contract, section 2): every code that a client can receive, with its HTTP status. The
 * API reference and the error type are made from this table.
 */
export const ERRORS = {
  bad_request: { status: 400, when: "body not JSON, schema violated, cursor not ours" },
  authentication_error: { status: 401, when: "token missing, malformed, unknown, revoked or expired" },
  authorization_error: { status: 403, when: "valid token, access too low" },
  not_found: { status: 404, when: "no such path, or no such record in this organisation" },
  method_not_allowed: { status: 405, when: "not POST" },
  conflict: { status: 409, when: "second enrolment, forbidden transition, identity mismatch" },
  payload_too_large: { status: 413, when: "over the body limit" },
  unsupported_media_type: { status: 415, when: "content-type is not JSON" },
  rate_limited: { status: 429, when: "over the token's rate" },
  internal_error: { status: 500, when: "a fault of the service" },
  unavailable: { status: 503, when: "the service cannot take it now; nothing was accepted" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One schema violation: `path` is a JSON pointer into the request body. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** A refusal that is an answer, not a fault: expected, counted by code, never logged as an error. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, unknown>;
  /** Seconds for the `retry-after` header; only with `unavailable` and `rate_limited`. */
  readonly retryAfterSeconds: number | undefined;
  /** Additional headers of the answer, besides those of its code; names in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    data: Record<string, unknown> = {},
    retryAfterSeconds?: number,
    headers?: Readonly<Record<string, string>>,
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }
}

/** The body of every error answer. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly data: Record<string, unknown>;
    readonly trace_id: string;
  };
}
