import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { overloaded, tooLarge } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { Api, HttpLimits, HttpResponse } from "./server.ts";
import type { Traffic } from "./traffic.ts";
import { writeAnswer, writeUnended } from "./uws-answer.ts";
import type { UwsResponse } from "./uws-module.ts";

/** What the exchanges of one server share. */
export interface UwsShared {
  readonly api: Api;
  readonly limits: HttpLimits;
  readonly traffic: Traffic;
  draining: boolean;
}

/**
 * One admitted request until its answer.
 *
 * - `receiving`: its body is arriving.
 * - `handling`: the API has it and owes the answer.
 * - `lingering`: refused while its body was arriving. The answer is out, and the rest of the body is read and
 *   thrown away: a connection closed over unread bytes is reset, and a client that sends before it reads
 *   would lose the answer to the reset.
 * - `leaving`: the rest has come, or too much of it; the connection is closed a turn later.
 * - `done`: answered or aborted; `res` must not be touched.
 */
export class UwsExchange {
  readonly #res: UwsResponse;
  readonly #request: RequestHead;
  readonly #shared: UwsShared;
  readonly #body: ArrivingBody;
  #state: "receiving" | "handling" | "lingering" | "leaving" | "done" = "receiving";
  #discardedBytes = 0;

  /** `declaredLength` undefined: chunked. Must be made in the request callback of uWebSockets. */
  constructor(res: UwsResponse, request: RequestHead, shared: UwsShared, declaredLength: number | undefined) {
    this.#res = res;
    this.#request = request;
    this.#shared = shared;
    this.#body = new ArrivingBody(shared.traffic, shared.limits, declaredLength);
    shared.traffic.begin();
    res.onAborted(() => this.#abort());
    if (declaredLength === 0) {
      this.#handle(EMPTY_BODY);
      return;
    }
    if ((declaredLength ?? 0) > shared.limits.bodyBytes) this.#refuseSize(false);
    res.onData((chunk, isLast) => this.#receive(chunk, isLast));
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
    this.#res.cork(() => writeAnswer(this.#res, this.#request, response, this.#shared.draining));
    this.#shared.traffic.end("answered");
  }

  #refuseSize(isLast: boolean): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId), isLast);
  }

  /** Only in a callback of uWebSockets, whose end flushes what is written here. */
  #refuse(refusal: HttpResponse, isLast: boolean): void {
    this.#body.drop();
    if (isLast) {
      this.#state = "done";
      writeAnswer(this.#res, this.#request, refusal, true);
    } else {
      this.#state = "lingering";
      writeUnended(this.#res, this.#request, refusal);
    }
    this.#shared.traffic.end("answered");
  }

  /** A turn later: the answer may be in the cork buffer still, which a close throws away. */
  #leave(): void {
    this.#state = "leaving";
    setImmediate(() => {
      if (this.#state !== "leaving") return;
      this.#state = "done";
      this.#res.close();
    });
  }

  #abort(): void {
    const unanswered = this.#state === "receiving" || this.#state === "handling";
    this.#state = "done";
    if (!unanswered) return;
    this.#body.drop();
    this.#shared.traffic.end("aborted");
    this.#request.markAborted();
  }
}
