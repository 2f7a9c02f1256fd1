import { type Dispatcher, request } from "undici";
import { LIMITS } from "#contract";
import {
  beginningOf,
  type DeliveryErrorClass,
  deliveryHeaders,
  errorClassOfStatus,
  retryAfterMs,
} from "#domain/webhooks";

/** A request like the service's deliveries, from this machine. */
interface SignedRequest {
  readonly url: string;
  readonly secret: string;
  /** The `webhook-id` header: the same for all attempts of a delivery. */
  readonly id: string;
  readonly body: string;
  readonly signal?: AbortSignal | undefined;
}

/** Its result. */
export interface SignedResult {
  /** null: no answer came. */
  readonly status: number | null;
  /** null: it was answered with 2xx. */
  readonly errorClass: DeliveryErrorClass | null;
  /** The beginning of the answer's body, or why there is no answer. */
  readonly answer: string;
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

/** Begins like that of deliveries, by which receivers recognise them. */
const USER_AGENT = "Stampede-Webhooks/1 (stampede command)";

/**
 * Signs and sends a request, and waits for its answer as long as the service does. Follows no redirect. Failures are results
 * too; it rejects only if the signal aborts.
 */
export async function sendSigned({ url, secret, id, body, signal }: SignedRequest): Promise<SignedResult> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(LIMITS.deliveryAttemptMs);
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const response = await request(url, {
      method: "POST",
      headers: {
        ...deliveryHeaders([secret], { id, at: new Date(), body }),
        "user-agent": USER_AGENT,
      },
      body,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const answer = await readAnswer(response);
    const { statusCode: status, headers } = response;
    const wait = headers["retry-after"];
    return {
      status,
      errorClass: errorClassOfStatus(status),
      answer,
      retryAfterMs: retryAfterMs(Array.isArray(wait) ? wait[0] : wait, new Date()),
      durationMs: took(),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const errorClass = timeout.aborted ? "timeout" : classOf(error);
    const answer = timeout.aborted ? "no answer within 15 s" : reasonOf(error);
    return { status: null, errorClass, answer, retryAfterMs: null, durationMs: took() };
  }
}

/** The beginning of the body, which is for people. All of it is read, so that the connection can be used again. */
async function readAnswer({ body }: Dispatcher.ResponseData): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (length < LIMITS.deliveryAnswerKeptBytes) kept.push(chunk);
      length += chunk.length;
      if (length > LIMITS.deliveryAnswerBytes) break;
    }
  } catch {
    // The connection broke off; the head has come.
  }
  return beginningOf(Buffer.concat(kept).toString(), LIMITS.deliveryAnswerKeptBytes);
}

function classOf(error: unknown): DeliveryErrorClass {
  const code = String((error as { code?: unknown }).code);
  if (/^(?:ENOTFOUND|EAI_)/.test(code)) return "dns_error";
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code))
    return "connection_refused";
  return /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
    ? "tls_error"
    : "connection_reset";
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  return message || String(code);
}
