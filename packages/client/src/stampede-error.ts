import { ERROR_STATUS, type ErrorCode } from "./generated/publisher-api.ts";

/**
 * Why a call failed: a code of the API, or one of this client's own.
 *
 * - `connection_error`: no answer came. Unless the connection could not even be opened, the call may have taken
 *   effect.
 * - `unexpected_answer`: the answer is not the API's; most often a proxy in front of it has answered.
 */
export type FailureCode = ErrorCode | "connection_error" | "unexpected_answer";

export interface AnswerHead {
  readonly status: number;
  readonly traceId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

interface Failure extends Partial<AnswerHead> {
  readonly code: FailureCode;
  readonly message: string;
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * A call that was refused or could not be made. `message` is for people; programs decide by `code` and
 * `data`.
 */
export class StampedeError extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Names the request in the service's log; quote it when you ask for help. */
  readonly traceId: string | undefined;
  /** The `retry-after` of the answer, in seconds, if it has one. */
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: Failure) {
    super(failure.message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.name = "StampedeError";
    this.code = failure.code;
    this.status = failure.status;
    this.data = failure.data ?? {};
    this.traceId = failure.traceId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

/** The error for an answer outside 2xx. `body` is undefined if it is not JSON. */
export function errorOfAnswer(head: AnswerHead, body: unknown): StampedeError {
  const told = (body as { error?: Record<string, unknown> } | null | undefined)?.error;
  if (typeof told?.code !== "string" || !Object.hasOwn(ERROR_STATUS, told.code)) {
    return new StampedeError({
      ...head,
      code: "unexpected_answer",
      message: `status ${head.status} with a body that is not the API's`,
    });
  }
  return new StampedeError({
    ...head,
    code: told.code as ErrorCode,
    message: String(told.message),
    data: isRecord(told.data) ? told.data : {},
    traceId: typeof told.trace_id === "string" ? told.trace_id : head.traceId,
  });
}

/** The error for a 200 that is not the API's. */
export function unexpectedAnswer(message: string): StampedeError {
  return new StampedeError({ code: "unexpected_answer", status: 200, message });
}

export function connectionError(cause: unknown): StampedeError {
  const { code, message } = cause as { code?: unknown; message?: string };
  // The error of connecting to a name with several addresses has a code, but no message.
  const reason = message || (typeof code === "string" ? code : String(cause));
  return new StampedeError({
    code: "connection_error",
    message: `no answer from the service: ${reason}`,
    status: 0,
    cause,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
