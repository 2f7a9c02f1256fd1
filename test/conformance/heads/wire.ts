import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { SeededRandom } from "#domain";

/** An answer as it came; `body` is empty if none was to come. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const BRACE = 0x7b;

/** A connection that writes bytes and reads answers, in the order in which they come. */
export class Wire {
  readonly answers: WireAnswer[] = [];
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  /** For each written request, in order: whether its answer has no body. */
  #bodiless: boolean[] = [];
  #isClosed = false;
  #changed: () => void = () => {};

  static open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    return new Promise((resolve, reject) => {
      socket.once("connect", () => resolve(new Wire(socket)));
      socket.once("error", reject);
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      while (this.#take()) {}
      this.#changed();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#isClosed = true;
      this.#changed();
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The received bytes that are no whole answer. */
  get rest(): string {
    return this.#received.toString("latin1");
  }

  /** Writes the bytes cut at these places, each part in its own turn of the event loop. */
  async send(bytes: Buffer, cuts: readonly number[], bodiless: readonly boolean[]): Promise<void> {
    this.#bodiless = [...bodiless];
    this.answers.length = 0;
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      if (this.#isClosed) return;
      const part = bytes.subarray(from, to);
      from = to;
      if (part.length === 0) continue;
      await new Promise<void>((resolve) => this.#socket.write(part, () => resolve()));
      await turn();
    }
  }

  /** Resolves once this many answers have come, the connection is closed, or the time is over. */
  until(answers: number, deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, deadlineMs);
      const look = () => {
        if (this.answers.length >= answers || this.#isClosed) done();
      };
      function done() {
        clearTimeout(timer);
        resolve();
      }
      this.#changed = look;
      look();
    });
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Reads one answer from the received bytes; skips interim ones. */
  #take(): boolean {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const [line = "", ...fields] = this.#received.toString("latin1", 0, end).split("\r\n");
    const status = Number(line.split(" ")[1]);
    if (status >= 100 && status < 200) {
      this.#received = this.#received.subarray(end + 4);
      return true;
    }
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
      }),
    );
    // The server answers a head that it could not parse with a body, for any method.
    const isBodiless = this.#bodiless[this.answers.length] === true && this.#received[end + 4] !== BRACE;
    const length = isBodiless ? 0 : Number(headers.get("content-length") ?? 0);
    if (this.#received.length < end + 4 + length) return false;
    const body = this.#received.toString("utf8", end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    this.answers.push({ status, headers, body });
    return true;
  }
}

/** Where to cut: nowhere, anywhere, at line ends and next to them, or byte by byte for a while. */
export function makeCuts(bytes: Buffer, random: SeededRandom): number[] {
  const style = random.next();
  if (style < 0.35) return [];
  if (style < 0.65) {
    const many = random.between(1, 5);
    return ordered(Array.from({ length: many }, () => random.between(1, bytes.length - 1)));
  }
  if (style < 0.9) {
    const ends: number[] = [];
    for (let at = bytes.indexOf("\r\n"); at >= 0 && ends.length < 400; at = bytes.indexOf("\r\n", at + 1)) {
      ends.push(at + random.between(0, 2));
    }
    return ordered(Array.from({ length: Math.min(6, ends.length) }, () => random.pick(ends)));
  }
  const from = random.between(0, Math.max(0, bytes.length - 60));
  return ordered(Array.from({ length: 50 }, (_, n) => Math.min(bytes.length - 1, from + n)));
}

function ordered(places: readonly number[]): number[] {
  return [...new Set(places)].filter((place) => place > 0).sort((a, b) => a - b);
}
