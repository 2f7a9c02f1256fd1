import type { HttpRequest, HttpResponse } from "./server.ts";
import { statusLine } from "./status-line.ts";
import type { UwsResponse } from "./uws-module.ts";

const JSON_TYPE = "application/json";
/** Has no body, and its headers would be those of the body that it does not send. */
export const NOT_MODIFIED = 304;

/** The whole answer to a POST; ends `res`. Corked by the caller, so that it leaves in one system call. */
export function writeAnswer(
  res: UwsResponse,
  request: HttpRequest,
  response: HttpResponse,
  closeConnection: boolean,
): void {
  writeHead(res, request, response);
  res.end(response.body, closeConnection);
}

/** Status line and headers, but for `content-length`. */
export function writeHead(res: UwsResponse, request: HttpRequest, response: HttpResponse): void {
  res.writeStatus(statusLine(response.status));
  res.writeHeader("x-trace-id", request.traceId);
  const { headers } = response;
  const hasType = headers?.["content-type"] !== undefined || response.status === NOT_MODIFIED;
  if (!hasType) res.writeHeader("content-type", JSON_TYPE);
  for (const name in headers) res.writeHeader(name, headers[name] as string);
}
