import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import { AttemptFailure } from "./open-connection.ts";

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

/**
 * Connections that wait for their next request, up to a number over all origins; nothing is kept for an origin that has
 * none. One that is in use is not here, and how many those are is up to whoever sends: one slow webhook must never keep
 * another of the same origin waiting for a connection.
 */
export class IdleConnections {
  readonly #max: number;
  /** Longest idle first. */
  readonly #all = new Set<OutgoingConnection>();
  readonly #byOrigin = new Map<string, OutgoingConnection[]>();
  #isClosed = false;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The one that was used last: the others can come to their end. */
  take(origin: string): OutgoingConnection | undefined {
    const connection = this.#byOrigin.get(origin)?.at(-1);
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  put(connection: OutgoingConnection): void {
    if (!connection.isUsable) return;
    if (this.#isClosed) {
      connection.destroy();
      return;
    }
    const ofOrigin = this.#byOrigin.get(connection.origin);
    if (ofOrigin === undefined) this.#byOrigin.set(connection.origin, [connection]);
    else ofOrigin.push(connection);
    this.#all.add(connection);
    if (this.#all.size <= this.#max) return;
    const [oldest] = this.#all;
    if (oldest === undefined) return;
    this.remove(oldest);
    oldest.destroy();
  }

  remove(connection: OutgoingConnection): void {
    if (!this.#all.delete(connection)) return;
    const ofOrigin = this.#byOrigin.get(connection.origin) ?? [];
    ofOrigin.splice(ofOrigin.lastIndexOf(connection), 1);
    if (ofOrigin.length === 0) this.#byOrigin.delete(connection.origin);
  }

  /** Ends them all, and what is put here from now on. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#byOrigin.clear();
  }
}
