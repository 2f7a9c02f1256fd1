import { LIMITS } from "#contract";
import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { refuseUnread, writeAnswer } from "./node-answer.ts";
import type { NodeConnection, NodeRequest } from "./node-connection.ts";
import { overloaded, tooLarge, tooManyUnread } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import { type Admission, type AdmittedRequest, type HttpResponse, isAdmitted } from "./server.ts";
import type { ServerParts } from "./traffic.ts";

/** One request until its answer; with the states of `UwsExchange`, for the same reasons. */
export class NodeExchange {
  readonly #connection: NodeConnection;
  readonly #message: NodeRequest;
  readonly #request: RequestHead;
  readonly #shared: ServerParts;
  readonly #declaredLength: number | undefined;
  readonly #body: ArrivingBody;
  #admitted: AdmittedRequest | undefined;
  #state: "admitting" | "receiving" | "handling" | "lingering" | "done" = "admitting";
  #discardedBytes = 0;
  #isToldToGoOn = false;
  #isLast = false;

  /**
   * @param admission undefined: the body is too large. While the API decides, node:http reads at most
   *   one buffer of the body, and leaves the rest to the kernel.
   */
  constructor(
    connection: NodeConnection,
    message: NodeRequest,
    request: RequestHead,
    shared: ServerParts,
    declaredLength: number | undefined,
    admission: Admission | Promise<Admission> | undefined,
  ) {
    this.#connection = connection;
    this.#message = message;
    this.#request = request;
    this.#shared = shared;
    this.#declaredLength = declaredLength;
    this.#body = new ArrivingBody(shared, declaredLength);
    shared.traffic.begin();
    connection.owe(this);
    if (message.awaitsContinue) connection.expects(this);
    if (admission === undefined) {
      this.#refuseSize();
      this.#read();
    } else if (admission instanceof Promise) {
      void admission.then((settled) => this.#admit(settled));
    } else {
      this.#admit(admission);
    }
  }

  get isOpen(): boolean {
    return this.#state !== "done";
  }

  beLast(): void {
    this.#isLast = true;
  }

  abort(): void {
    const unanswered = this.#state !== "lingering" && this.#state !== "done";
    this.#state = "done";
    if (!unanswered) return;
    this.#body.drop();
    this.#settle("aborted");
  }

  #admit(admission: Admission): void {
    if (this.#state !== "admitting") return;
    if (!isAdmitted(admission)) {
      this.#refuseUnread(admission);
      return;
    }
    if (this.#shared.answers.isFull(admission.sender)) {
      this.#shared.traffic.refuse("unavailable");
      this.#refuseUnread(tooManyUnread(this.#request.traceId));
      return;
    }
    this.#admitted = admission;
    this.#body.sentBy(admission.sender);
    if (this.#message.awaitsContinue) this.#message.res.writeContinue();
    this.#isToldToGoOn = true;
    this.#connection.decided(this);
    if (this.#declaredLength === 0) {
      this.#handle(EMPTY_BODY);
      return;
    }
    this.#state = "receiving";
    this.#read();
  }

  #refuseUnread(refusal: HttpResponse): void {
    this.#state = "done";
    const closeConnection = this.#isLastAnswer();
    if (closeConnection) this.#connection.ignoreFurtherRequests();
    const { limits } = this.#shared;
    refuseUnread(this.#message, this.#request, refusal, { closeConnection, limits });
    this.#settle("answered");
  }

  #read(): void {
    const { req } = this.#message;
    req.on("data", (piece: Buffer) => this.#receive(piece));
    req.on("end", () => this.#received());
  }

  #receive(piece: Buffer): void {
    if (this.#state === "receiving") this.#keep(piece);
    else if (this.#state === "lingering") this.#discardedBytes += piece.byteLength;
    if (this.#state === "lingering" && this.#discardedBytes > this.#shared.limits.bodyBytes) this.#received();
  }

  #received(): void {
    if (this.#state === "receiving") {
      this.#handle(this.#body.take());
    } else if (this.#state === "lingering") {
      this.#state = "done";
      this.#message.res.end();
    }
  }

  #keep(piece: Buffer): void {
    switch (this.#body.append(piece)) {
      case "kept":
        return;
      case "too large":
        this.#refuseSize();
        return;
      case "no room":
        this.#shared.traffic.refuse("unavailable");
        this.#refuse(overloaded(this.#request.traceId));
        return;
    }
  }

  #handle(body: Uint8Array): void {
    this.#state = "handling";
    const admitted = this.#admitted as AdmittedRequest;
    // Checked again: many may have been admitted before the first of them had its answer, and nothing has
    // happened yet.
    if (this.#shared.answers.isFull(admitted.sender)) {
      this.#shared.traffic.refuse("unavailable");
      this.#respond(tooManyUnread(this.#request.traceId));
      return;
    }
    admitted.handle(body, (response) => this.#respond(response));
  }

  #respond(given: HttpResponse): void {
    if (this.#state !== "handling") return;
    const response = this.#readable(given);
    this.#state = "done";
    const closeConnection = this.#isLastAnswer();
    if (closeConnection) this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#message.res, this.#request, response, { closeConnection, end: true });
    this.#settle("answered");
  }

  /** The answer, which counts until it has been read; a refusal if there is no room for it. */
  #readable(response: HttpResponse): HttpResponse {
    if (response.body.length < LIMITS.largeAnswerBytes) return response;
    const { answers, traffic } = this.#shared;
    const { sender, isRead } = this.#admitted as AdmittedRequest;
    const bytes = Buffer.byteLength(response.body);
    if (!answers.take(sender, bytes)) {
      if (isRead) {
        traffic.refuse("unavailable");
        return tooManyUnread(this.#request.traceId);
      }
      answers.takeAnyway(sender, bytes);
    }
    this.#message.res.once("close", () => answers.release(sender, bytes));
    return response;
  }

  /**
   * After an earlier answer with "connection: close" node:http would never send later ones. It adds that
   * field itself to the answer of a request that waited for "100 Continue" in vain, because the body may or
   * may not follow.
   */
  #isLastAnswer(): boolean {
    if (this.#isLast || (this.#message.awaitsContinue && !this.#isToldToGoOn)) return true;
    return this.#shared.draining && this.#connection.isLatest(this);
  }

  #refuseSize(): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId));
  }

  #refuse(refusal: HttpResponse): void {
    // Later requests are complete and may have taken effect: then all of this body is read, and they get
    // their answers.
    const isLast = this.#connection.isLatest(this);
    this.#state = isLast ? "lingering" : "done";
    this.#body.drop();
    if (isLast) this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#message.res, this.#request, refusal, { closeConnection: isLast, end: !isLast });
    this.#settle("answered");
  }

  #settle(outcome: "answered" | "aborted"): void {
    this.#connection.decided(this);
    this.#connection.paid(this);
    this.#shared.traffic.end(outcome);
  }
}
