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

/**
 * The last answer of a connection. It goes out in full, as fast as the client reads, while `res` stays open: on any
 * request that comes behind an open answer uWebSockets closes by itself, and never shows it to us. What is read meanwhile
 * can only be the body of the request. `close` then ends it.
 *
 * Of how an answer stays open: uWebSockets writes what the first `tryEnd` announces into `content-length`, and counts the
 * answer as ended when as many bytes have gone as the latest one announces. The later ones announce a byte that never
 * comes. Without a body no call of uWebSockets ends the head and leaves the answer open, so there the line end that
 * closes the head rides behind the last header.
 *
 * - `sending`: the client has not taken all of it.
 * - `sent`: all of it is in the hands of the kernel, or will be at the end of this callback.
 * - `gone`: the connection is closed; `res` must not be touched.
 */
export class LastAnswer {
  readonly #res: UwsResponse;
  readonly #settled: (outcome: "answered" | "aborted") => void;
  #body: Uint8Array;
  #state: "sending" | "sent" | "gone" = "sending";
  #isClosing = false;

  /**
   * Writes it; in a callback of uWebSockets, or corked. `settled` is called once, when the client has its answer or is
   * gone. From here on an abort is told to nobody else.
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

  /** Closes the connection a turn after the last byte has left: what is corked is lost in a close. */
  close(): void {
    this.#isClosing = true;
    if (this.#state === "sent") this.#closeNextTurn();
  }

  /** Closes at once, and loses what has not left: the parser takes no further byte of what has come already. */
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
    // All but one byte: with nothing or all of it given, some release of uWebSockets takes the answer for ended.
    const [accepted] = this.#res.tryEnd(this.#body.subarray(0, -1), this.#body.length);
    if (!accepted || !this.#send(this.#body.length - 1)) this.#res.onWritable((offset) => this.#send(offset));
  }

  /** Goes on at `offset`; whether all of it was taken. */
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
