import { type HttpRequest, type HttpResponse, JSON_TYPE, NOT_MODIFIED, statusLine } from "./server.ts";
import type { UwsResponse } from "./uws-module.ts";

/**
 * Writes the whole answer to a POST and ends `res`. The caller corks it, so that one system call sends it.
 */
export function writeAnswer(
  res: UwsResponse,
  request: HttpRequest,
  response: HttpResponse,
  closeConnection: boolean,
): void {
  writeHead(res, request, response);
  res.end(response.body, closeConnection);
}

/** Writes the status line and all headers except `content-length`. */
export function writeHead(res: UwsResponse, request: HttpRequest, response: HttpResponse): void {
  res.writeStatus(statusLine(response.status));
  res.writeHeader("x-trace-id", request.traceId);
  const { headers } = response;
  const hasType = headers?.["content-type"] !== undefined || response.status === NOT_MODIFIED;
  if (!hasType) res.writeHeader("content-type", JSON_TYPE);
  for (const name in headers) res.writeHeader(name, headers[name] as string);
}

/**
 * The last answer of a connection. It is sent in full, as fast as the client reads, while `res` stays open:
 * if a request comes after an open answer, uWebSockets closes the connection and never shows us that request.
 * So everything read meanwhile is the body of this request. `close` then ends the answer.
 *
 * How an answer stays open: uWebSockets writes the size that the first `tryEnd` announces into
 * `content-length`, and counts the answer as ended when as many bytes have left as the latest `tryEnd`
 * announces. The later calls announce a byte that never comes. For an answer without a body, no call of
 * uWebSockets ends the head and leaves the answer open, so there the line end that closes the head is sent
 * after the last header.
 *
 * - `sending`: the client has not taken all of it.
 * - `sent`: the kernel has all of it, or will have it at the end of this callback.
 * - `gone`: the connection is closed; `res` must not be touched.
 */
export class LastAnswer {
  readonly #res: UwsResponse;
  readonly #settled: (outcome: "answered" | "aborted") => void;
  #body: Uint8Array;
  #state: "sending" | "sent" | "gone" = "sending";
  #isClosing = false;

  /**
   * Writes the answer; must be called in a callback of uWebSockets, or corked. `settled` is called once, when
   * the client has its answer or is gone. From here on, only this object hears of an abort.
   */
  constructor(
    res: UwsResponse,
    request: HttpRequest,
    response: HttpResponse,
    settled: (outcome: "answered" | "aborted") => void,
  ) {
    this.#res = res;
    this.#settled = settled;
    this.#body = typeof response.body === "string" ? Buffer.from(response.body) : response.body;
    res.onAborted(() => this.#abort());
    writeHead(res, request, response);
    const isUnchanged = response.status === NOT_MODIFIED;
    if (request.method === "HEAD" || isUnchanged || this.#body.length === 0) this.#endHead(isUnchanged);
    else this.#begin();
  }

  /** Closes the connection one turn after the last byte has left: a close loses what is still corked. */
  close(): void {
    this.#isClosing = true;
    if (this.#state === "sent") this.#closeNextTurn();
  }

  /** Closes immediately, losing unsent bytes. The parser takes none of the remaining received bytes. */
  cutOff(): void {
    this.#state = "gone";
    this.#res.close();
  }

  #endHead(isUnchanged: boolean): void {
    this.#res.writeHeader("date", new Date().toUTCString());
    if (!isUnchanged) this.#res.writeHeader("content-length", String(this.#body.length));
    this.#res.writeHeader("connection", "close\r\n");
    this.#sent();
  }

  #begin(): void {
    this.#res.writeHeader("connection", "close");
    // All bytes but one: given none or all, some releases of uWebSockets take the answer for ended.
    const [accepted] = this.#res.tryEnd(this.#body.subarray(0, -1), this.#body.length);
    if (!accepted || !this.#send(this.#body.length - 1)) this.#res.onWritable((offset) => this.#send(offset));
  }

  /** Continues at `offset`; returns whether all of it was taken. */
  #send(offset: number): boolean {
    if (this.#state !== "sending") return true;
    const [accepted] = this.#res.tryEnd(this.#body.subarray(offset), this.#body.length + 1);
    if (accepted) this.#sent();
    return accepted;
  }

  #sent(): void {
    this.#state = "sent";
    this.#body = new Uint8Array(0);
    this.#settled("answered");
    if (this.#isClosing) this.#closeNextTurn();
  }

  #closeNextTurn(): void {
    setImmediate(() => {
      if (this.#state !== "gone") this.cutOff();
    });
  }

  #abort(): void {
    const isUnsent = this.#state === "sending";
    this.#state = "gone";
    if (isUnsent) this.#settled("aborted");
  }
}
