import { ApiError } from "#contract";
import { badRequest, type HttpRequest } from "#http";
import type { Body } from "./endpoint.ts";

/** The page sends it with every request. Another site could send it only after a preflight, which is refused. */
const OWN_HEADER = "stampede-console";

/** Every change has it, percent-encoded, because a header is ASCII. */
const REASON_HEADER = "stampede-console-reason";
const SHOWN_HEADER = "stampede-console-shown";
/** The headers that these functions read. */
export const REQUEST_HEADERS = [OWN_HEADER, "origin", "host", REASON_HEADER, SHOWN_HEADER];

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses requests that another site makes a browser send.
 * @param origin the console's in browsers; undefined if they reach it by loopback. Then the host must be a name of this
 * machine, so that another site's name that leads here (DNS rebinding) is refused.
 */
export function refuseForeign(request: HttpRequest, origin: string | undefined): ApiError | undefined {
  if (request.header(OWN_HEADER) !== "1") {
    return new ApiError("authorization_error", `send ${OWN_HEADER}: 1`, { reason: "own_header" });
  }
  const expected = origin ?? loopbackOrigin(request.header("host"));
  if (expected !== undefined && request.header("origin") === expected) return undefined;
  return new ApiError("authorization_error", "this is answered to the console's own page only", {
    reason: "origin",
  });
}

/** The port may differ from ours, because of a tunnel. */
function loopbackOrigin(host: string | undefined): string | undefined {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  return url !== undefined && LOOPBACK_NAME.test(url.hostname) ? url.origin : undefined;
}

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

/**
 * The number of the last row of the previous page, from `pagination.cursor` of a list; undefined for the first page. A forged
 * one shows no more: the caller decides which rows are read.
 * @throws ApiError `bad_request`
 */
export function readCursor({ pagination }: Body): number | undefined {
  const { cursor } = (pagination ?? {}) as { readonly cursor?: unknown };
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === "string" && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  const message = "is not a cursor of this list";
  throw badRequest(`/pagination/cursor ${message}`, { path: "/pagination/cursor", message });
}

/** The reason of a change. @throws ApiError `bad_request` if there is none */
export function readReason(request: HttpRequest): string {
  const given = decoded(request.header(REASON_HEADER) ?? "").trim();
  if (given.length >= REASON_LENGTH.min && given.length <= REASON_LENGTH.max) return given;
  const message = `say why, in ${REASON_LENGTH.min} to ${REASON_LENGTH.max} characters, in ${REASON_HEADER}`;
  throw new ApiError("bad_request", message, { reason: "reason_required" });
}

/** The `updated_at` of the record that the page showed: what somebody else changed since is not overwritten. */
export function readShown(request: HttpRequest): string | undefined {
  return request.header(SHOWN_HEADER);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
