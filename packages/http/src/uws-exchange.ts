import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { overloaded, tooLarge } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { HttpResponse } from "./server.ts";
import type { ServerParts } from "./traffic.ts";
import { LastAnswer, writeAnswer } from "./uws-answer.ts";
import type { UwsResponse } from "./uws-module.ts";

/** How a request is delimited. */
interface UwsFraming {
  /** Bytes of the body; undefined if it is chunked. */
  readonly declaredLength: number | undefined;
  /** Whether it is the connection's last request: its end is too uncertain to read another behind it. */
  readonly isLast: boolean;
}

/**
 * One request until its answer.
 *
 * - `receiving`: its body is arriving.
 * - `handling`: the API has the request and owes the answer.
 * - `lingering`: answered before its body had come, as the last answer of the connection. The rest of the
 *   body is read and thrown away: closing a connection with unread bytes resets it, and a client that sends
 *   everything before it reads would lose the answer. When the rest has come, or too much of it, the
 *   connection is closed.
 * - `done`: answered or aborted; `res` must not be touched.
 */
export class UwsExchange {
  readonly #res: UwsResponse;
  readonly #request: RequestHead;
  readonly #shared: ServerParts;
  readonly #body: ArrivingBody;
  readonly #isLast: boolean;
  #state: "receiving" | "handling" | "lingering" | "done" = "receiving";
  #lastAnswer: LastAnswer | undefined;
  #discardedBytes = 0;

  /**
   * Must be made in the request callback of uWebSockets.
   * @param answered the API's answer, if it gave one without the body
   */
  constructor(
    res: UwsResponse,
    request: RequestHead,
    shared: ServerParts,
    { declaredLength, isLast }: UwsFraming,
    answered?: HttpResponse,
  ) {
    this.#res = res;
    this.#request = request;
    this.#shared = shared;
    this.#isLast = isLast;
    this.#body = new ArrivingBody(shared.traffic, shared.limits, declaredLength);
    shared.traffic.begin();
    res.onAborted(() => this.#abort());
    if (answered !== undefined) this.#refuse(answered, declaredLength === 0);
    else if (declaredLength === 0) this.#handle(EMPTY_BODY);
    else if ((declaredLength ?? 0) > shared.limits.bodyBytes) this.#refuseSize(false);
    if (declaredLength !== 0) res.onData((chunk, isLastChunk) => this.#receive(chunk, isLastChunk));
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#state === "receiving") {
      this.#keep(chunk, isLast);
    } else if (this.#state === "lingering") {
      this.#discardedBytes += chunk.byteLength;
      if (isLast || this.#discardedBytes > this.#shared.limits.bodyBytes) this.#leave();
    }
  }

  #keep(chunk: ArrayBuffer, isLast: boolean): void {
    switch (this.#body.append(new Uint8Array(chunk))) {
      case "kept":
        if (isLast) this.#handle(this.#body.take());
        return;
      case "too large":
        this.#refuseSize(isLast);
        return;
      case "no room":
        this.#shared.traffic.refuse("unavailable");
        this.#refuse(overloaded(this.#request.traceId), isLast);
        return;
    }
  }

  #handle(body: Uint8Array): void {
    this.#state = "handling";
    this.#shared.api.handle(this.#request, body, (response) => this.#respond(response));
  }

  #respond(response: HttpResponse): void {
    if (this.#state !== "handling") return;
    this.#state = "done";
    this.#res.cork(() => {
      if (this.#isLast) this.#answerLast(response).close();
      else writeAnswer(this.#res, this.#request, response, this.#shared.draining);
    });
    if (!this.#isLast) this.#shared.traffic.end("answered");
  }

  #refuseSize(isLast: boolean): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId), isLast);
  }

  /** Only in a callback of uWebSockets, whose end flushes what is written here. */
  #refuse(refusal: HttpResponse, hasBody: boolean): void {
    this.#body.drop();
    this.#state = "lingering";
    this.#lastAnswer = this.#answerLast(refusal);
    if (hasBody) this.#leave();
  }

  #leave(): void {
    this.#state = "done";
    this.#lastAnswer?.close();
  }

  #answerLast(response: HttpResponse): LastAnswer {
    const settled = (outcome: "answered" | "aborted") => this.#shared.traffic.end(outcome);
    return new LastAnswer(this.#res, this.#request, response, settled);
  }

  #abort(): void {
    if (this.#state !== "receiving" && this.#state !== "handling") return;
    this.#state = "done";
    this.#body.drop();
    this.#shared.traffic.end("aborted");
  }
}
