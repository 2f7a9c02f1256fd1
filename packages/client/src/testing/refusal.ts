import { ERROR_STATUS, type ErrorCode } from "../generated/publisher-api.ts";

/** An error answer of the fake service, as the API words it. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.data = data;
    this.headers = headers;
  }
}

/**
 * An error for the function given to `FakeStampede.answer` to throw:
 * `throw refuse("conflict", { reason: "already_enrolled" })`.
 */
export function refuse(code: ErrorCode, data: Readonly<Record<string, unknown>> = {}): Error {
  return new Refusal(code, `the fake service says ${code}`, data);
}

export function missing(resource: string): never {
  throw new Refusal("not_found", `no such ${resource}`, { resource });
}
