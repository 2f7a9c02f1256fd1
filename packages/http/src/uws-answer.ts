import type { HttpRequest, HttpResponse } from "./server.ts";
import { statusLine } from "./status-line.ts";
import type { UwsResponse } from "./uws-module.ts";

const JSON_TYPE = "application/json";
/** Has no body, and its headers would be those of the body that it does not send. */
const NOT_MODIFIED = 304;
/**
 * What is written during a callback of uWebSockets waits in a buffer of this size, until the callback's end.
 */
const CORK_BUFFER_BYTES = 16 * 1024;
const PADDING = " ".repeat(CORK_BUFFER_BYTES);

/** The whole answer; ends `res`. Corked by the caller, so that it leaves in one system call. */
export function writeAnswer(
  res: UwsResponse,
  request: HttpRequest,
  response: HttpResponse,
  closeConnection: boolean,
): void {
  writeHead(res, request, response);
  if (response.status === NOT_MODIFIED) {
    if (closeConnection) res.writeHeader("connection", "close");
    res.endWithoutBody();
    return;
  }
  if (request.method !== "HEAD") {
    res.end(response.body, closeConnection);
    return;
  }
  // endWithoutBody takes arguments, but the fork then waits for the body that the length announces, and reads
  // undefined as a length of 2^63. So the close is only announced here, and left to the client or the idle
  // time-out.
  res.writeHeader("content-length", String(Buffer.byteLength(response.body)));
  if (closeConnection) res.writeHeader("connection", "close");
  res.endWithoutBody();
}

/**
 * The whole answer, announcing the connection's close, while `res` stays open: uWebSockets has no way of its
 * own to answer in full and go on reading. The body therefore rides behind the last header's value, and
 * counts the line end that follows a header as its own (white space after JSON).
 */
export function writeUnended(res: UwsResponse, request: HttpRequest, refusal: HttpResponse): void {
  writeHead(res, request, refusal);
  res.writeHeader("connection", "close");
  res.writeHeader("content-length", `${Buffer.byteLength(refusal.body) + 2}\r\n\r\n${refusal.body}`);
}

/**
 * Answers, and closes before the parser takes another byte; for the request callback only. `end` with its
 * close flag would not do: it closes when the callback's buffer is parsed to its end, smuggled requests in it
 * included. `close` does, but drops what is still in the cork buffer: hence as much padding as makes that
 * overflow.
 */
export function answerAndCutOff(res: UwsResponse, request: HttpRequest, refusal: HttpResponse): void {
  writeUnended(res, request, { ...refusal, body: `${refusal.body}${PADDING}` });
  res.close();
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
