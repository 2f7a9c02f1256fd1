import { setMaxListeners } from "node:events";
import { Agent, type Dispatcher, request } from "undici";
import { readRetryAfterMs } from "#domain/webhooks";
import { type Retry, withRetries } from "./retry.ts";
import { type AnswerHead, connectionError, errorOfAnswer, StampedeError } from "./stampede-error.ts";

export interface ClientOptions {
  /**
   * The service's address, such as `https://stampede.example.com`; the paths of the API are appended to it.
   */
  readonly baseUrl: string;
  /** The secret of an API token. */
  readonly token: string;
  /**
   * How many connections are kept open at most; further calls wait for one. Default 16. Not used with
   * `dispatcher`.
   */
  readonly connections?: number;
  /** How long one attempt waits for its answer, in milliseconds. Default 30 s. */
  readonly timeoutMs?: number;
  /**
   * For how long the client repeats a call that is safe to repeat, in milliseconds: no attempt begins later
   * than that after the first one. Default 10 minutes, which outlasts a restart of everything; 0 means one
   * attempt only.
   */
  readonly retryForMs?: number;
  /**
   * Sends the requests instead of the client's own pool: for a proxy, or TLS settings of your own. The caller
   * closes it.
   */
  readonly dispatcher?: Dispatcher;
}

/** One call: its path after the API's prefix, and how it is made. */
interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** The body as text, instead of `body`. */
  readonly json?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client may repeat it when it does not know its effect. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  /** Instead of the client's own. */
  readonly retryForMs: number | undefined;
}

const DEFAULT_CONNECTIONS = 16;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_FOR_MS = 600_000;
/** Below the 10 s after which the service closes an idle connection, so that no request meets its closing. */
const KEEP_ALIVE_MS = 5_000;
/**
 * A list of the service has at most some 4 MiB. Another server may send more, and would fill this process's
 * memory.
 */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** What a header can carry. A token that was read from a file often ends with a newline. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Connections to one API of the service: JSON requests and answers, with retries. */
export class Connection {
  readonly #root: string;
  readonly #authorization: string;
  readonly #timeoutMs: number;
  readonly #retryForMs: number;
  readonly #dispatcher: Dispatcher;
  readonly #ownsDispatcher: boolean;
  readonly #closing = new AbortController();

  /**
   * @param prefix of every path, such as `/publisher.v1/`
   * @throws TypeError for an address that is no URL, or a token that no header can carry
   */
  constructor(options: ClientOptions, prefix: string) {
    // Every call that waits for its next attempt listens: any number is no leak.
    setMaxListeners(0, this.#closing.signal);
    if (!TOKEN.test(options.token)) {
      throw new TypeError("the token has a blank, a newline or another character that no token has: trim it");
    }
    this.#root = new URL(options.baseUrl).href.replace(/(?<!\/)\/+$/, "") + prefix;
    this.#authorization = `Bearer ${options.token}`;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#retryForMs = options.retryForMs ?? DEFAULT_RETRY_FOR_MS;
    this.#ownsDispatcher = options.dispatcher === undefined;
    this.#dispatcher =
      options.dispatcher ??
      new Agent({
        connections: options.connections ?? DEFAULT_CONNECTIONS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
      });
  }

  /**
   * @returns the body of a success answer
   * @throws StampedeError for every other answer, and when there is none; the signal's reason when it aborts
   */
  call({ path, body, json, headers, repeatable, signal, onRetry, retryForMs }: Call): Promise<unknown> {
    const text = json ?? JSON.stringify(body);
    const forMs = repeatable ? (retryForMs ?? this.#retryForMs) : 0;
    const options = { forMs, signal, onRetry, closing: this.#closing.signal };
    return withRetries(options, () => this.#attempt(path, text, headers, signal));
  }

  /** Lets open requests finish, repeats none, then closes the connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#ownsDispatcher) await this.#dispatcher.close();
  }

  async #attempt(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const { head, text } = await this.#exchange(path, body, headers, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error instanceof StampedeError ? error : connectionError(error);
    });
    const answer = parse(text);
    if (head.status < 200 || head.status > 299 || answer === undefined) throw errorOfAnswer(head, answer);
    return answer;
  }

  async #exchange(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<{ head: AnswerHead; text: string }> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const response = await request(this.#root + path, {
      method: "POST",
      headers: { ...headers, authorization: this.#authorization, "content-type": "application/json" },
      body,
      dispatcher: this.#dispatcher,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const retryAfterMs = readRetryAfterMs(single(response.headers["retry-after"]), new Date());
    const head = {
      status: response.statusCode,
      traceId: single(response.headers["x-trace-id"]),
      retryAfterSeconds: retryAfterMs === undefined ? undefined : retryAfterMs / 1000,
    };
    return { head, text: await readText(response.body, head) };
  }
}

/** @throws StampedeError `unexpected_answer` for a body that is too large to be the API's; the rest is not read */
async function readText(body: AsyncIterable<Uint8Array>, head: AnswerHead): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) {
      const message = `an answer of more than ${ANSWER_BYTES_MAX} bytes is not the API's`;
      throw new StampedeError({ ...head, code: "unexpected_answer", message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
