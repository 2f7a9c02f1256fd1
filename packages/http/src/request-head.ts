import { randomFillSync } from "node:crypto";
import { readTraceparent } from "#runtime";
import type { HttpLimits, HttpRequest } from "./server.ts";

const DIGITS = /^[0-9]+$/;

/** One request for the API, copied, because the server reuses its own object immediately. */
export class RequestHead implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly traceId: string;
  readonly traceparent: string | undefined;
  readonly declaredLength: number | undefined;
  readonly startedAt: number;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #values: ReadonlyArray<string | undefined>;
  readonly #repeated: readonly number[];
  #peer: () => string = () => "";

  constructor(
    method: string,
    path: string,
    traceId: string,
    traceparent: string | undefined,
    declaredLength: number | undefined,
    slots: ReadonlyMap<string, number>,
    values: ReadonlyArray<string | undefined>,
    repeated: readonly number[],
  ) {
    this.method = method;
    this.path = path;
    this.traceId = traceId;
    this.traceparent = traceparent;
    this.declaredLength = declaredLength;
    this.startedAt = performance.now();
    this.#slots = slots;
    this.#values = values;
    this.#repeated = repeated;
  }

  header(name: string): string | undefined {
    return this.#values[this.#slotOf(name)];
  }

  isRepeated(name: string): boolean {
    return this.#repeated.includes(this.#slotOf(name));
  }

  #slotOf(name: string): number {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new Error(`header "${name}" is not in wantedHeaders`);
    return slot;
  }

  remoteAddress(): string {
    return this.#peer();
  }

  /** For the adapter: gives the value of `remoteAddress`, which is computed on demand. */
  connectedFrom(peer: () => string): void {
    this.#peer = peer;
  }
}

/** The bytes of the request line that count for the header block, CRLF included. */
export function requestLineBytes(method: string, path: string, query: string): number {
  return (
    method.length + path.length + (query === "" ? 0 : query.length + 1) + " ".length + " HTTP/1.1\r\n".length
  );
}

/** Shared by all requests without a repeated header, which are nearly all. */
const NONE: readonly number[] = [];

/**
 * Scans a header block once, field by field: keeps the wanted values and everything that decides the framing.
 * One scanner serves a whole server, because a block is scanned synchronously: `begin`, then `field` for
 * each, then the getters below.
 */
export class HeadScanner {
  readonly #slots: ReadonlyMap<string, number>;
  readonly #headerBlockBytes: number;
  #values: Array<string | undefined> = [];
  /** Slots of headers with several fields. */
  #repeated: readonly number[] = NONE;
  #bytes = 0;
  #hosts = 0;
  #contentLengths = 0;
  #contentLength = "";
  #transferEncodings = 0;
  #transferEncoding = "";
  #traceparent = "";
  #method = "";

  constructor(wantedHeaders: readonly string[], limits: Pick<HttpLimits, "headerBlockBytes">) {
    this.#slots = new Map(wantedHeaders.map((name, slot) => [name, slot]));
    this.#headerBlockBytes = limits.headerBlockBytes;
  }

  begin(requestLineBytes: number, method: string): void {
    this.#method = method;
    this.#values = new Array(this.#slots.size).fill(undefined);
    this.#repeated = NONE;
    this.#bytes = requestLineBytes;
    this.#hosts = 0;
    this.#contentLengths = 0;
    this.#transferEncodings = 0;
    this.#transferEncoding = "";
    this.#traceparent = "";
  }

  /** @param name in lower case */
  field(name: string, value: string): void {
    this.#bytes += name.length + value.length + 4; // ": " and CRLF
    switch (name) {
      case "host":
        this.#hosts += 1;
        break;
      case "content-length":
        this.#contentLengths += 1;
        this.#contentLength = value;
        break;
      case "transfer-encoding":
        this.#transferEncodings += 1;
        this.#transferEncoding = value;
        break;
      case "traceparent":
        this.#traceparent = this.#traceparent === "" ? value : "several";
        break;
      default:
        break;
    }
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    const earlier = this.#values[slot];
    this.#values[slot] = earlier === undefined ? value : `${earlier}, ${value}`;
    if (earlier !== undefined) this.#repeated = [...this.#repeated, slot];
  }

  request(method: string, path: string): RequestHead {
    const given = this.#traceparent === "" ? undefined : readTraceparent(this.#traceparent)?.traceId;
    const traceparent = given === undefined ? undefined : this.#traceparent;
    const traceId = given ?? newTraceId();
    return new RequestHead(
      method,
      path,
      traceId,
      traceparent,
      this.declaredLength(),
      this.#slots,
      this.#values,
      this.#repeated,
    );
  }

  /** Bytes of the body; undefined if it is chunked. Meaningful only if `fault` finds none. */
  declaredLength(): number | undefined {
    if (this.#transferEncodings > 0) return undefined;
    return this.#contentLengths === 0 ? 0 : Number(this.#contentLength);
  }

  /** Whether `content-length` gives the length of the body. */
  hasLength(): boolean {
    return this.#contentLengths > 0;
  }

  /**
   * Why it would be dangerous to act on this block; undefined if it is safe. Contract, section 1; RFC 9112,
   * sections 3.2 and 6.3: a server that reads another length than the proxy in front reads other requests
   * (smuggling). So in doubt the request is refused and the connection closed.
   */
  fault(): string | undefined {
    if (this.#bytes > this.#headerBlockBytes) {
      return `the request line and header fields exceed ${this.#headerBlockBytes} bytes`;
    }
    if (this.#hosts !== 1) return "exactly one host header is required";
    if (this.#contentLengths > 1) return "more than one content-length header";
    if (this.#contentLengths > 0 && this.#transferEncodings > 0) {
      return "content-length together with transfer-encoding";
    }
    // uWebSockets stops reading at a field without a name and so misses a later length: the body would be
    // taken for the next request. Every POST of our API has a body.
    if (this.#method === "POST" && this.#contentLengths === 0 && this.#transferEncodings === 0) {
      return "a POST needs content-length or transfer-encoding";
    }
    if (this.#contentLengths > 0 && !DIGITS.test(this.#contentLength)) {
      return "content-length is not a number";
    }
    // RFC 9110, section 9.3.1: the body of a GET has no meaning, and has been used for smuggling.
    const isRead = this.#method === "GET" || this.#method === "HEAD";
    if (isRead && this.declaredLength() !== 0) return `${this.#method} takes no body`;
    if (
      this.#transferEncodings > 0 &&
      (this.#transferEncodings > 1 || this.#transferEncoding.toLowerCase() !== "chunked")
    ) {
      return "the only transfer-encoding supported is chunked";
    }
    return undefined;
  }
}

/** Bytes of one trace-id (W3C Trace Context, section 3.2.2.3). */
const ID_BYTES = 16;
/** One call of the random source serves this many ids: 0.1 µs per id instead of 1 µs. */
const IDS_PER_FILL = 512;

const pool = Buffer.allocUnsafeSlow(ID_BYTES * IDS_PER_FILL);
let used = pool.length;

/** 32 lower-case hex characters from the system's random source. */
export function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString("hex", used, used + ID_BYTES);
  used += ID_BYTES;
  return id;
}
