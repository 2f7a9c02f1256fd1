import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { LIMITS } from "#contract";
import type { OutgoingConnection } from "./connections.ts";
import { AttemptFailure, errorCode } from "./open-connection.ts";

/** What came of a request, as far as it came. */
export interface Answer {
  /** null: none came. */
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  /** The first 4 KiB of its body. */
  readonly kept: Buffer;
  /** Why there is not more of it; null: that is all that is wanted. */
  readonly failure: AttemptFailure | null;
  /** The whole answer was read, so that another request can follow. */
  readonly isWhole: boolean;
}

/**
 * Makes one request and reads its answer: a 2xx to its end, of another only what is kept, since its status says it all.
 * Never rejects. If the answer is not whole, the connection is of no use any more, and the caller destroys it.
 * @param signal ends it, with what came until then; its reason is an AttemptFailure
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
    let isOver = false;
    const end = (failure: AttemptFailure | null, isWhole = false) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", abort);
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
    connection.dispatch(request, {
      // Without it the library takes this for a handler of its older kind.
      onRequestStart() {},
      onResponseStart(_controller, statusCode, fields) {
        // 1xx come before the one that counts.
        if (statusCode < 200) return;
        status = statusCode;
        headers = fields;
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        keep(chunk);
        const isSuccess = status !== null && status <= 299;
        if (!isSuccess && keptBytes === LIMITS.deliveryAnswerKeptBytes) end(null);
        if (isSuccess && bytes > LIMITS.deliveryAnswerBytes) end(new AttemptFailure("response_too_large"));
      },
      onResponseEnd() {
        end(null, true);
      },
      onResponseError(_controller, error) {
        end(failureOf(error));
      },
    });
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
 * The beginning of an answer as text that a database can keep: no NUL, no half of a character at its end, and not more
 * than 4 KiB even where broken bytes became longer replacement characters.
 */
export function answerText(bytes: Buffer): string {
  // As a stream, so that a character which was cut off at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\ufffd");
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LIMITS.deliveryAnswerKeptBytes));
  return text.slice(0, read);
}
