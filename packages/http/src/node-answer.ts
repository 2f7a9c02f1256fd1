import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
  JSON_TYPE,
  NOT_MODIFIED,
  statusLine,
} from "./server.ts";

/** Writes the whole answer; without `end` the connection stays open for reading. */
export function writeAnswer(
  res: ServerResponse,
  request: HttpRequest,
  response: HttpResponse,
  { closeConnection, end }: { closeConnection: boolean; end: boolean },
): void {
  const fields = headerFields(response, request.traceId);
  if (closeConnection) fields.push("connection", "close");
  res.writeHead(response.status, fields);
  if (end) res.end(response.body);
  else res.write(response.body);
}

/**
 * Answers a request without its body. node:http reads and discards the rest, so that a client that sends
 * everything before it reads gets the answer; an endless one is cut off after the time of an idle connection.
 */
export function refuseUnread(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  request: HttpRequest,
  refusal: HttpResponse,
  { closeConnection, limits }: { closeConnection: boolean; limits: Pick<HttpLimits, "keepAliveIdleMs"> },
): void {
  writeAnswer(res, request, refusal, { closeConnection, end: true });
  if (req.readableEnded) return;
  const timer = setTimeout(() => req.socket.destroy(), limits.keepAliveIdleMs).unref();
  req.once("end", () => clearTimeout(timer));
}

/** The answer if node:http could not parse the request. Close the connection after it. */
export function rawAnswer(response: HttpResponse, traceId: string): string {
  const fields = headerFields(response, traceId);
  let text = `HTTP/1.1 ${statusLine(response.status)}\r\n`;
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return `${text}connection: close\r\n\r\n${response.body}`;
}

/** Names and values in turn: `writeHead` accepts this form without building an object. */
function headerFields({ status, headers, body }: HttpResponse, traceId: string): string[] {
  const fields = ["x-trace-id", traceId];
  for (const name in headers) fields.push(name, headers[name] as string);
  if (status === NOT_MODIFIED) return fields;
  if (headers?.["content-type"] === undefined) fields.push("content-type", JSON_TYPE);
  fields.push("content-length", String(Buffer.byteLength(body)));
  return fields;
}
