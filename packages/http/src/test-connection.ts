import { connect, type Socket } from "node:net";
import type { Test } from "tap";
import { waitFor } from "#test-support";

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

/** For tests: a client that writes raw bytes, for requests that no HTTP client would send. */
export class TestConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #closed = false;
  #reset = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
    });
    // A reset also closes the connection.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#reset = error.code === "ECONNRESET";
    });
    socket.on("close", () => {
      this.#closed = true;
    });
  }

  /** @param localAddress an address of this machine; absent: any */
  static async open(t: Test, port: number, localAddress?: string): Promise<TestConnection> {
    const from = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, ...from });
    const connection = new TestConnection(socket);
    t.teardown(() => connection.destroy());
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return connection;
  }

  /** Whether the connection was ended by RST. */
  get wasReset(): boolean {
    return this.#reset;
  }

  /** Bytes that were sent and that the kernel has not accepted. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The received bytes that were not read as a response. */
  get rest(): string {
    return this.#received.toString();
  }

  /**
   * Resolves a turn after the bytes were sent, so that server and client, one process here, have received
   * them.
   */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => setImmediate(resolve)));
  }

  /** Sends FIN, and continues reading. */
  finish(): void {
    this.#socket.end();
  }

  /** Stops reading: the server's data fills the buffers in between. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads again. */
  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The next response; `bodiless` for the answer to HEAD. */
  response({ bodiless = false } = {}): Promise<RawResponse> {
    return waitFor(() => this.#take(bodiless), {
      message: `a response, got ${JSON.stringify(this.rest.slice(0, 200))}, closed: ${this.#closed}`,
    });
  }

  untilClosed(): Promise<boolean> {
    return waitFor(() => this.#closed, { message: "the connection is closed" });
  }

  #take(bodiless: boolean): RawResponse | undefined {
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return undefined;
    const [statusLine = "", ...fields] = this.#received.subarray(0, headEnd).toString().split("\r\n");
    const headers: Record<string, string> = {};
    for (const field of fields) {
      const colon = field.indexOf(":");
      headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
    }
    const length = bodiless ? 0 : Number(headers["content-length"] ?? 0);
    const start = headEnd + HEAD_END.length;
    if (this.#received.length < start + length) return undefined;
    const body = this.#received.subarray(start, start + length).toString();
    this.#received = this.#received.subarray(start + length);
    return { status: Number(statusLine.split(" ")[1]), headers, body };
  }
}
