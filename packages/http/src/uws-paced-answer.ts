import type { HttpRequest, HttpResponse } from "./server.ts";
import type { Traffic } from "./traffic.ts";
import { writeHead } from "./uws-answer.ts";
import type { UwsResponse } from "./uws-module.ts";

/** Shorter answers are left to uWebSockets, which keeps what the client does not read yet: little more than was asked. */
export const PACED_FROM_BYTES = 2 * 1024;

/**
 * Answers in full, as fast as the client reads. `end` would copy the whole body for a client that does not read at
 * all, and a connection can ask for a page again and again in a few bytes: memory would run out. Here the exchange is
 * open until the last byte has left; a request sent into it cuts the connection off, and so does 10 s without progress.
 * For the request callback only.
 */
export function writePaced(
  res: UwsResponse,
  request: HttpRequest,
  response: HttpResponse,
  { traffic, closeConnection }: { traffic: Traffic; closeConnection: boolean },
): void {
  const body = Buffer.from(response.body);
  let isOpen = true;
  const settle = (outcome: "answered" | "aborted") => {
    if (!isOpen) return;
    isOpen = false;
    traffic.end(outcome);
  };
  const send = (offset: number): boolean => {
    const [accepted, isDone] = res.tryEnd(body.subarray(offset), body.length);
    if (isDone) settle("answered");
    return accepted;
  };
  traffic.begin();
  res.onAborted(() => settle("aborted"));
  writeHead(res, request, response);
  if (closeConnection) res.writeHeader("connection", "close");
  send(0);
  if (isOpen) res.onWritable((offset) => send(offset));
}
