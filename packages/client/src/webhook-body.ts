import type { IncomingMessage } from "node:http";

/** A body that cannot be checked; `status` is the answer. */
export class BodyError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "BodyError";
    this.status = status;
  }
}

/** What frameworks leave on a request when they have read its body. */
interface ParsedRequest {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

/**
 * The body of a request of Node's server, as it came; also where a framework has read it before and kept its bytes, as
 * `express.raw` does.
 * @throws BodyError 413 beyond the limit; 500 where a framework has parsed it, so that its bytes are gone
 */
export async function readNodeBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<string | Uint8Array> {
  if (!request.readableDidRead) {
    checkAnnounced(request.headers["content-length"], limitBytes);
    return readStream(request, limitBytes);
  }
  const { rawBody, body } = request as ParsedRequest;
  for (const kept of [rawBody, body]) {
    if (typeof kept !== "string" && !(kept instanceof Uint8Array)) continue;
    if (Buffer.byteLength(kept) > limitBytes) throw tooLarge(limitBytes);
    return kept;
  }
  throw new BodyError(
    500,
    "the body was parsed before it came here, and a signature is over its bytes: put webhookHandler before the parser, or parse this path with a raw one",
  );
}

/**
 * The body of a fetch-style request, as it came.
 * @throws BodyError 413 beyond the limit; 500 where it was read before
 */
export async function readFetchBody(request: Request, limitBytes: number): Promise<Uint8Array> {
  if (request.bodyUsed) {
    throw new BodyError(500, "the body was read before it came here: hand over a clone of the request");
  }
  checkAnnounced(request.headers.get("content-length") ?? undefined, limitBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the stream, so that nothing beyond the limit is read.
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Not by iteration: leaving that early destroys the connection, and the answer could not be sent. */
function readStream(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const fail = (error: BodyError) => {
      request.off("data", take).pause();
      reject(error);
    };
    const take = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > limitBytes) fail(tooLarge(limitBytes));
      else chunks.push(chunk);
    };
    request.on("data", take).on("end", () => resolve(Buffer.concat(chunks)));
    for (const event of ["error", "close"]) {
      request.on(event, () => fail(new BodyError(400, "the request ended before its body did")));
    }
  });
}

function checkAnnounced(contentLength: string | undefined, limitBytes: number): void {
  if (contentLength !== undefined && Number(contentLength) > limitBytes) throw tooLarge(limitBytes);
}

function tooLarge(limitBytes: number): BodyError {
  return new BodyError(413, `the body is larger than ${limitBytes} bytes`);
}
