import type { IncomingMessage, ServerResponse } from "node:http";
import { ArrivingBody, EMPTY_BODY } from "./arriving-body.ts";
import { writeAnswer } from "./node-answer.ts";
import type { NodeConnection } from "./node-connection.ts";
import { overloaded, tooLarge } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import type { Api, HttpLimits, HttpResponse } from "./server.ts";
import type { Traffic } from "./traffic.ts";

/** What the exchanges of one server share. */
export interface NodeShared {
  readonly api: Api;
  readonly limits: HttpLimits;
  readonly traffic: Traffic;
  draining: boolean;
}

/** One admitted request until its answer; with the same states, for the same reasons, as `UwsExchange`. */
export class NodeExchange {
  readonly #connection: NodeConnection;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #request: RequestHead;
  readonly #shared: NodeShared;
  readonly #body: ArrivingBody;
  #state: "receiving" | "handling" | "lingering" | "done" = "receiving";
  #discardedBytes = 0;

  constructor(
    connection: NodeConnection,
    message: { req: IncomingMessage; res: ServerResponse },
    request: RequestHead,
    shared: NodeShared,
    declaredLength: number | undefined,
  ) {
    this.#connection = connection;
    this.#req = message.req;
    this.#res = message.res;
    this.#request = request;
    this.#shared = shared;
    this.#body = new ArrivingBody(shared.traffic, shared.limits, declaredLength);
    shared.traffic.begin();
    connection.owe(this);
    if (declaredLength === 0) {
      this.#handle(EMPTY_BODY);
      return;
    }
    if ((declaredLength ?? 0) > shared.limits.bodyBytes) this.#refuseSize();
    this.#req.on("data", (piece: Buffer) => this.#receive(piece));
    this.#req.on("end", () => this.#received());
  }

  /** The client is gone, or its connection must be closed. */
  abort(): void {
    const unanswered = this.#state === "receiving" || this.#state === "handling";
    this.#state = "done";
    if (!unanswered) return;
    this.#body.drop();
    this.#settle("aborted");
    this.#request.markAborted();
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
      this.#res.end();
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
    this.#shared.api.handle(this.#request, body, (response) => this.#respond(response));
  }

  #respond(response: HttpResponse): void {
    if (this.#state !== "handling") return;
    this.#state = "done";
    // After an earlier answer with "connection: close" node:http would never send the later ones.
    const closeConnection = this.#shared.draining && this.#connection.isLatest(this);
    if (closeConnection) this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#res, this.#request, response, { closeConnection, end: true });
    this.#settle("answered");
  }

  #refuseSize(): void {
    this.#shared.traffic.refuse("payload_too_large");
    this.#refuse(tooLarge(this.#shared.limits.bodyBytes, this.#request.traceId));
  }

  #refuse(refusal: HttpResponse): void {
    this.#state = "lingering";
    this.#body.drop();
    this.#connection.ignoreFurtherRequests();
    writeAnswer(this.#res, this.#request, refusal, { closeConnection: true, end: false });
    this.#settle("answered");
  }

  #settle(outcome: "answered" | "aborted"): void {
    this.#connection.paid(this);
    this.#shared.traffic.end(outcome);
  }
}
