import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import { LIMITS } from "#contract";
import { addTo } from "#domain";
import { beginningOf } from "#domain/webhooks";
import { AttemptFailure, errorCode, type OpenedConnection } from "./open-connection.ts";

/**
 * How long an idle connection is kept. Servers mostly close it after 5 s or more, and this end should close
 * it first.
 */
const KEPT_MS = 4_000;
/** The longest time, if a server offers more by `keep-alive: timeout=…`. */
const KEPT_AT_REQUEST_MS = 60_000;

/** How long the rest of a 2xx is read, only so that the connection can be used again. */
const REST_MS = 1_000;

/** The bytes that an idle connection may read: TLS tickets after the answer, and its end. */
const IDLE_READ_BYTES = 16 * 1024;

/**
 * The parser reads in pieces of this size. It goes through a piece to its end even after it has ended the connection, with an error for
 * each field beyond the limit of a head or trailer. In 64 KiB these were thousands of errors, which held up all deliveries for 70 ms.
 */
const PIECE_BYTES = 4 * 1024;

function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    if (size !== undefined) return read(size);
    if (socket.destroyed) return null;
    return read(socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined);
  };
}

/** One HTTP/1.1 connection to a target, over a socket that was opened and checked before. It never opens another. */
export class OutgoingConnection {
  readonly origin: string;
  readonly #socket: Socket;
  readonly #wire: Socket;
  readonly #client: Client;
  #isUsable = true;
  /** The most bytes that may have been read from the wire since its beginning. */
  #readable: number;
  #onTooMuch: (() => void) | undefined;

  /** @param onEnd called once, when the socket is gone */
  constructor(
    origin: string,
    { socket, wire }: OpenedConnection,
    onEnd: (connection: OutgoingConnection) => void,
  ) {
    this.origin = origin;
    this.#socket = socket;
    this.#wire = wire;
    this.#readable = wire.bytesRead;
    readInPieces(socket);
    let given: Socket | undefined = socket;
    this.#client = new Client(origin, {
      connect: (_target, callback) => {
        const ready = given;
        given = undefined;
        // Not within this call: the client sends only after a callback that comes later, as for a real connection.
        queueMicrotask(() => {
          if (ready === undefined) callback(new AttemptFailure("connection_reset"), null);
          else callback(null, ready);
        });
      },
      // The sender sets one time limit for a whole attempt, so these are off.
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

  /**
   * Whether a request can be tried. The other end may have closed the connection, without this end knowing
   * yet.
   */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * @param onTooMuch called when more than `LIMITS.deliveryReadBytes` came over the wire for this request. The parsed content would
   *   say too little: interim answers, chunk extensions and TLS's own records have no limit and no content
   */
  dispatch(
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    onTooMuch: () => void,
  ): void {
    this.#onTooMuch = onTooMuch;
    this.#readable = this.#wire.bytesRead + LIMITS.deliveryReadBytes;
    if (this.#socket.listenerCount("readable", this.#checkRead) === 0) {
      this.#socket.on("readable", this.#checkRead);
      // A TLS 1.3 server may send tickets for ever, which make nothing readable.
      this.#socket.on("session", this.#checkRead);
    }
    this.#client.dispatch(request, handler);
  }

  /** Between two requests only a few TLS records may come, and the end. */
  rest(): void {
    this.#onTooMuch = undefined;
    this.#readable = this.#wire.bytesRead + IDLE_READ_BYTES;
  }

  readonly #checkRead = (): void => {
    if (this.#wire.bytesRead <= this.#readable) return;
    this.#onTooMuch?.();
    this.destroy();
  };

  /** Ends the connection immediately, with the request under way. */
  destroy(): void {
    this.#isUsable = false;
    this.#client.destroy().catch(() => {});
    // The client has the socket only from its first request on.
    this.#socket.destroy();
  }
}

/** The answer to a request, as far as it came. */
export interface Answer {
  /** null: no answer came. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The first 4 KiB of its body. */
  readonly kept: Buffer;
  /** Why there is no answer, or only a part; null: the answer is sufficient. */
  readonly failure: AttemptFailure | null;
  /** The whole answer was read, so that another request can follow. */
  readonly isWhole: boolean;
}

/**
 * Makes one request and reads its answer. Never rejects. The head of a 2xx decides: the delivery arrived, and
 * the rest is read only for a moment. Any other answer is read as far as it is kept, because its status is
 * enough. If the answer is not whole, the connection cannot be used again, and is destroyed immediately.
 * @param signal ends the exchange with the answer so far; its reason is an AttemptFailure
 */
export function exchange(
  connection: OutgoingConnection,
  request: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve) => {
    let status: number | null = null;
    let headers: IncomingHttpHeaders = {};
    const kept: Buffer[] = [];
    let keptBytes = 0;
    let bytes = 0;
    let interim = 0;
    let isOver = false;
    let rest: NodeJS.Timeout | undefined;
    const isSuccess = () => status !== null && status <= 299;
    const end = (failed: AttemptFailure | null, isWhole = false) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(rest);
      const failure = isSuccess() ? null : failed;
      signal.removeEventListener("abort", abort);
      if (isWhole) connection.rest();
      else connection.destroy();
      resolve({ status, headers, kept: Buffer.concat(kept), failure, isWhole });
    };
    const abort = () => end(signal.reason);
    const keep = (chunk: Buffer) => {
      const part = chunk.subarray(0, LIMITS.deliveryAnswerKeptBytes - keptBytes);
      if (part.length === 0) return;
      keptBytes += part.length;
      // A copy: the chunk may be a window on the buffer that the parser reads into.
      kept.push(Buffer.from(part));
    };
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    const tooMuch = () => end(new AttemptFailure("response_too_large"));
    const handler: Dispatcher.DispatchHandler = {
      // Without this method undici takes the object for a handler of its older kind.
      onRequestStart() {},
      onResponseStart(_controller, statusCode, fields) {
        // Interim answers (1xx) come before the one that counts.
        if (statusCode < 200) {
          if (++interim > LIMITS.deliveryInterimAnswers) tooMuch();
          return;
        }
        status = statusCode;
        headers = fields;
        if (isSuccess()) rest = setTimeout(() => end(null), REST_MS);
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        keep(chunk);
        if (!isSuccess() && keptBytes === LIMITS.deliveryAnswerKeptBytes) end(null);
        if (isSuccess() && bytes > LIMITS.deliveryAnswerBytes) end(null);
      },
      onResponseEnd() {
        end(null, true);
      },
      onResponseError(_controller, error) {
        end(failureOf(error));
      },
    };
    connection.dispatch(request, handler, tooMuch);
  });
}

function failureOf(cause: Error): AttemptFailure {
  if (cause instanceof AttemptFailure) return cause;
  const code = errorCode(cause);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new AttemptFailure("response_too_large", { cause });
  // With TLS 1.3 a server refuses a client without a certificate only after the handshake.
  if (code.startsWith("ERR_SSL_")) return new AttemptFailure("tls_error", { cause });
  return new AttemptFailure("connection_reset", { cause });
}

/**
 * The beginning of an answer as text that a database can keep: no NUL, no half of a character at its end, and at most 4 KiB
 * even if broken bytes became replacement characters, which are longer.
 */
export function answerText(bytes: Buffer): string {
  // Decoded as a stream, so that a character which was cut off at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\ufffd");
  return beginningOf(text, LIMITS.deliveryAnswerKeptBytes);
}

/**
 * Connections that wait for their next request: at most `max` over all origins. Connections in use are not counted, and have no bound for
 * an origin: a slow webhook must never hold up another of the same origin.
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

  /** Takes the connection that was used last, so that the others can run out. */
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
    addTo(this.#byOrigin, connection.origin, connection);
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

  /** Ends all connections, and those that are put here from now on. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#byOrigin.clear();
  }
}
