import { ApiError } from "#contract";
import type { HttpRequest } from "#http";
import type { Body } from "./endpoint.ts";

/** Given with a change: percent-encoded, since a header is ASCII. */
export const REASON_HEADER = "stampede-console-reason";
const REASON_LENGTH = { min: 3, max: 500 };
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The JSON object of a body. @throws ApiError `bad_request` */
export function readBody(bytes: Uint8Array): Body {
  let body: unknown;
  try {
    body = JSON.parse(UTF8.decode(bytes));
  } catch {
    throw malformed("is not JSON");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw malformed("is not an object");
  return body as Body;
}

function malformed(message: string): ApiError {
  return new ApiError("bad_request", `the body ${message}`, { issues: [{ path: "", message }] });
}

/** Why a change is made. @throws ApiError `bad_request` if it is not said */
export function readReason(request: HttpRequest): string {
  const given = decoded(request.header(REASON_HEADER) ?? "").trim();
  if (given.length >= REASON_LENGTH.min && given.length <= REASON_LENGTH.max) return given;
  const message = `say why, in ${REASON_LENGTH.min} to ${REASON_LENGTH.max} characters, in ${REASON_HEADER}`;
  throw new ApiError("bad_request", message, { reason: "reason_required" });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
