import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { overloaded, tooLarge, tooSlow } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import { type Admission, type AdmittedRequest, type HttpResponse, isAdmitted } from "./server.ts";
import type { ServerParts } from "./traffic.ts";
import { LastAnswer, writeAnswer } from "./uws-answer.ts";
import type { UwsResponse } from "./uws-module.ts";

/** The framing of a request. */
interface UwsFraming {
  /** Bytes of the body; undefined if it is chunked. */
  readonly declaredLength: number | undefined;
  /** Whether it is the connection's last request: its end is too uncertain to read another one after it. */
  readonly isLast: boolean;
}

/**
 * One request until its answer.
 *
 * - `admitting`: the API has the head and decides.
 * - `receiving`: its body is arriving.
 * - `handling`: the API has the request, or will have it when what has been read is parsed, and owes the
 *   answer.
 * - `lingering`: answered before its body had come, as the last answer of the connection. The rest of the
 *   body is read and thrown away: closing a connection with unread bytes resets it, and a client that sends
 *   everything before it reads would lose the answer. When the rest has come, or too much of it, the
 *   connection is closed.
 * - `done`: answered or aborted; `res` must not be touched.
 *
 * uWebSockets cuts a connection off when a request comes after an unanswered one. So that no request has an
 * effect whose answer is then lost, it is handled only once everything read with it is parsed
 * (`AfterParsing`), and nothing more is read before its answer.
 */
export class UwsExchange {
  readonly #res: UwsResponse;
  readonly #request: RequestHead;
  readonly #shared: ServerParts;
  readonly #body: ArrivingBody;
  readonly #isLast: boolean;
  readonly #afterParsing: AfterParsing;
  #state: "admitting" | "receiving" | "handling" | "lingering" | "done" = "admitting";
  #admitted: AdmittedRequest | undefined;
  #isWhole: boolean;
  #isPaused = false;
  #lastAnswer: LastAnswer | undefined;
  #discardedBytes = 0;
  #deadline: NodeJS.Timeout | undefined;

  /**
   * Must be made in the request callback of uWebSockets.
   * @param admission undefined: the body is too large
   */
  constructor(
    res: UwsResponse,
    request: RequestHead,
    shared: ServerParts,
    { declaredLength, isLast }: UwsFraming,
    afterParsing: AfterParsing,
    admission: Admission | Promise<Admission> | undefined,
  ) {
    this.#res = res;
    this.#request = request;
    this.#shared = shared;
    this.#isLast = isLast;
    this.#afterParsing = afterParsing;
    this.#isWhole = declaredLength === 0;
    this.#body = new ArrivingBody(shared, declaredLength);
    shared.traffic.begin();
    res.onAborted(() => this.#abort());
    if (admission === undefined) {
      this.#refuseSize();
    } else if (admission instanceof Promise) {
      this.#pause();
      void admission.then((settled) => this.#admitLater(settled));
    } else if (isAdmitted(admission)) {
      this.#letIn(admission);
    } else {
      this.#refuse(admission);
    }
    if (!this.#isWhole) res.onData((chunk, isLastChunk) => this.#receive(chunk, isLastChunk));
  }

  /** Up to 512 KiB that were read together with the head may have come meanwhile. */
  #admitLater(admission: Admission): void {
    if (this.#state !== "admitting") return;
    this.#res.cork(() => {
      if (!isAdmitted(admission)) this.#answerUnread(admission);
      else this.#letIn(admission);
    });
    if (this.#isReading()) this.#resume();
  }

  #isReading(): boolean {
    return this.#state === "receiving" || this.#state === "lingering";
  }

  #letIn(admitted: AdmittedRequest): void {
    this.#admitted = admitted;
    if (!this.#body.sentBy(admitted.sender)) this.#refuseForRoom();
    else if (this.#isWhole) this.#handle();
    else this.#state = "receiving";
  }

  /**
   * The connection stays in use if its end is certain: uWebSockets discards the body, for which it allows 10
   * s.
   */
  #answerUnread(refusal: HttpResponse): void {
    if (this.#isLast) {
      this.#refuse(refusal);
      return;
    }
    this.#state = "done";
    this.#body.drop();
    if (this.#isPaused) this.#resume();
    writeAnswer(this.#res, this.#request, refusal, this.#shared.draining);
    this.#shared.traffic.end("answered");
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    this.#isWhole = isLast;
    if (this.#state === "receiving" || this.#state === "admitting") {
      this.#keep(chunk);
    } else if (this.#state === "lingering") {
      this.#discardedBytes += chunk.byteLength;
      if (isLast || this.#discardedBytes > this.#shared.limits.bodyBytes) this.#leave();
    }
  }

  #keep(chunk: ArrayBuffer): void {
    switch (this.#body.append(new Uint8Array(chunk))) {
      case "kept":
        if (this.#state === "receiving" && this.#isWhole) this.#handle();
        else if (!this.#isWhole) this.#hurry();
        return;
      case "too large":
        this.#refuseSize();
        return;
      case "no room":
        this.#refuseForRoom();
        return;
    }
  }

  /** uWebSockets would be content with 16 KiB/s. Most bodies come in one piece, and need no timer. */
  #hurry(): void {
    this.#deadline ??= setTimeout(() => {
      if (this.#state !== "receiving") return;
      const { traffic, limits } = this.#shared;
      traffic.refuse("bad_request");
      this.#res.cork(() => this.#refuse(tooSlow(limits.requestReceiveMs, this.#request.traceId)));
      this.#leave();
    }, this.#shared.limits.requestReceiveMs);
  }

  #handle(): void {
    const body = this.#body.length === 0 ? EMPTY_BODY : this.#body.take();
    this.#state = "handling";
    clearTimeout(this.#deadline);
    this.#pause();
    this.#afterParsing.run(() => this.#pass(body));
  }

  /** A separate method, so that `respond` does not hold the body until the answer. */
  #pass(body: Uint8Array): void {
    if (this.#state !== "handling") return;
    (this.#admitted as AdmittedRequest).handle(body, (response) => this.#respond(response));
  }

  #respond(response: HttpResponse): void {
    if (this.#state !== "handling") return;
    this.#state = "done";
    this.#resume();
    this.#res.cork(() => {
      if (this.#isLast) this.#answerLast(response).close();
      else writeAnswer(this.#res, this.#request, response, this.#shared.draining);
    });
    if (!this.#isLast) this.#shared.traffic.end("answered");
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#res.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#res.resume();
  }

  #refuseSize(): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId));
  }

  #refuseForRoom(): void {
    this.#shared.traffic.refuse("unavailable");
    this.#refuse(overloaded(this.#request.traceId));
  }

  /** Only in a callback of uWebSockets, whose end flushes the written bytes, or corked. */
  #refuse(refusal: HttpResponse): void {
    this.#body.drop();
    clearTimeout(this.#deadline);
    this.#state = "lingering";
    this.#lastAnswer = this.#answerLast(refusal);
    if (this.#isWhole) this.#leave();
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
    if (this.#state === "lingering" || this.#state === "done") return;
    this.#state = "done";
    this.#body.drop();
    clearTimeout(this.#deadline);
    this.#shared.traffic.end("aborted");
  }
}

/**
 * Runs work once uWebSockets has parsed everything that it has read, from all connections: it calls back for
 * each request in between. One turn for everything in one round of the event loop.
 */
export class AfterParsing {
  #waiting: Array<() => void> = [];

  run(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(() => this.#runAll());
  }

  #runAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) work();
  }
}
