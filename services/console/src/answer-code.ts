import { ERRORS, type ErrorCode } from "#contract";
import type { HttpResponse } from "#http";

/** The code of an answer, ours or one of an API that is passed on. */
export function codeIn({ status, body }: HttpResponse): ErrorCode | "ok" {
  if (status < 400) return "ok";
  const { error } = JSON.parse(String(body)) as { error?: { code?: string } };
  return error?.code !== undefined && error.code in ERRORS ? (error.code as ErrorCode) : "internal_error";
}
