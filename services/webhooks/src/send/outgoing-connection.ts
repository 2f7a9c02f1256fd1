import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import { AttemptFailure } from "./attempt-failure.ts";

/** Servers close idle connections after 5 s and more, as a rule: this end should be the first. */
const KEPT_MS = 4_000;
/** At most, where a server offers more by `keep-alive: timeout=…`. */
const KEPT_AT_REQUEST_MS = 60_000;

/** One HTTP/1.1 connection to a target, over a socket that was opened and looked at before. It never opens another. */
export class OutgoingConnection {
  readonly origin: string;
  readonly #socket: Socket;
  readonly #client: Client;
  #isUsable = true;

  /** @param onEnd told once, when the socket is gone */
  constructor(origin: string, socket: Socket, onEnd: (connection: OutgoingConnection) => void) {
    this.origin = origin;
    this.#socket = socket;
    let given: Socket | undefined = socket;
    this.#client = new Client(origin, {
      connect: (_target, callback) => {
        const ready = given;
        given = undefined;
        // Later, as when it really connects: within its own call the client would not go on to send.
        queueMicrotask(() => {
          if (ready === undefined) callback(new AttemptFailure("connection_reset"), null);
          else callback(null, ready);
        });
      },
      // An attempt has one time limit over all of its parts, and it is not here.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_AT_REQUEST_MS,
    });
    socket.once("close", () => {
      this.#isUsable = false;
      onEnd(this);
    });
  }

  /** Whether a request can be tried. Its other end may have closed it all the same, and the news be on its way. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Ends it at once, with what is under way. */
  destroy(): void {
    this.#isUsable = false;
    this.#client.destroy().catch(() => {});
    // The client has it only from its first request on.
    this.#socket.destroy();
  }
}
