import type { Dispatcher } from "undici";
import { LIMITS } from "#contract";
import { type TargetPolicy, targetFault } from "#domain";
import { type DeliveryErrorClass, deliveryHeaders, errorClassOfStatus, retryAfterMs } from "#domain/webhooks";
import { type Answer, answerText, exchange, IdleConnections, OutgoingConnection } from "./connections.ts";
import { AttemptFailure, openConnection } from "./open-connection.ts";
import { createResolver, type ResolveHost } from "./resolve-host.ts";

/** One attempt of a delivery. */
export interface SendRequest {
  /** The URL of the webhook. */
  readonly url: string;
  /** The `webhook-id` header, `dlv_…`: the same in all attempts of a delivery. */
  readonly webhookId: string;
  /** When this attempt is made. */
  readonly timestamp: Date;
  readonly body: string;
  /** The `traceparent` header, for a delivery that is traced. It is not signed. */
  readonly traceparent?: string | undefined;
  /** `whsec_…`; each of them signs. */
  readonly secrets: readonly string[];
}

export interface SendResult {
  /** null: no answer began. */
  readonly status: number | null;
  /** null: delivered. */
  readonly errorClass: DeliveryErrorClass | null;
  /** The first 4 KiB of the answer's body, as far as it came; null: no answer began. */
  readonly answer: string | null;
  /** The target's `retry-after`, an hour at most; null: there is none. */
  readonly retryAfterMs: number | null;
  readonly durationMs: number;
}

export interface SenderOptions {
  readonly policy: TargetPolicy;
  readonly now: () => Date;
  /** Default: the name servers of the machine. */
  readonly resolve?: ResolveHost;
  /** Authorities to trust instead of the machine's, PEM. */
  readonly ca?: string;
  /** The time limit of a whole attempt, 15 s by default. */
  readonly timeoutMs?: number;
}

/** Makes the requests to webhooks, each within a time limit. */
export interface Sender {
  /**
   * Makes one attempt. It never rejects: every behaviour of the target becomes a result.
   * @param signal cuts the attempt, which then counts as a `timeout`. A signal for many attempts must take as many listeners
   */
  send(request: SendRequest, signal?: AbortSignal): Promise<SendResult>;
  /** Ends all connections and the attempts under way. */
  close(): void;
}

/** Receivers recognise attempts by this. */
const USER_AGENT = "Stampede-Webhooks/1";

export function createSender(options: SenderOptions): Sender {
  const { policy, now, resolve = createResolver(), ca } = options;
  const timeoutMs = options.timeoutMs ?? LIMITS.deliveryAttemptMs;
  const idle = new IdleConnections(LIMITS.idleDeliveryConnections);
  const underWay = new Set<AbortController>();
  const connections: Connections = {
    kept: (origin) => idle.take(origin),
    async open(url, signal) {
      const opened = await openConnection(url, { policy, resolve, ca }, signal);
      return new OutgoingConnection(url.origin, opened, (ended) => idle.remove(ended));
    },
    keep: (connection) => idle.put(connection),
  };
  return {
    async send(request, signal) {
      const started = performance.now();
      const controller = new AbortController();
      const cut = () => controller.abort(new AttemptFailure("timeout"));
      const timer = setTimeout(cut, timeoutMs);
      // A listener of our own: the signals of `AbortSignal.any` stay in memory while their source lives.
      signal?.addEventListener("abort", cut, { once: true });
      if (signal?.aborted) cut();
      underWay.add(controller);
      try {
        const answer = await attempt(connections, policy, request, controller.signal);
        return {
          ...judge(answer),
          retryAfterMs: retryAfterMs(single(answer.headers["retry-after"]), now()),
          durationMs: Math.round(performance.now() - started),
        };
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", cut);
        underWay.delete(controller);
      }
    },
    close() {
      for (const controller of underWay) controller.abort(new AttemptFailure("timeout"));
      idle.close();
    },
  };
}

interface Connections {
  kept(origin: string): OutgoingConnection | undefined;
  open(url: URL, signal: AbortSignal): Promise<OutgoingConnection>;
  keep(connection: OutgoingConnection): void;
}

async function attempt(
  connections: Connections,
  policy: TargetPolicy,
  request: SendRequest,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    // Checked again: the policy may have become stricter since the webhook was made.
    if (targetFault(request.url, policy) !== undefined) throw new AttemptFailure("blocked_address");
    const url = new URL(request.url);
    const sent = requestOf(url, request);
    const kept = connections.kept(url.origin);
    if (kept !== undefined) {
      const answer = await exchangeAndKeep(connections, kept, sent, signal);
      // The server closed the idle connection while the request was on its way. Most likely it never saw the request; otherwise it
      // recognises the delivery by its id. So the request is repeated over a new connection.
      if (!isStale(answer)) return answer;
    }
    return await exchangeAndKeep(connections, await connections.open(url, signal), sent, signal);
  } catch (failure) {
    if (!(failure instanceof AttemptFailure)) throw failure;
    return { status: null, headers: {}, kept: Buffer.alloc(0), failure, isWhole: false };
  }
}

function isStale({ status, failure }: Answer): boolean {
  return status === null && failure?.errorClass === "connection_reset";
}

async function exchangeAndKeep(
  connections: Connections,
  connection: OutgoingConnection,
  sent: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await exchange(connection, sent, signal);
  // After a failure the next request is seconds away, too late to keep the connection for it.
  const isGood = answer.isWhole && answer.status !== null && errorClassOfStatus(answer.status) === null;
  if (isGood && single(answer.headers.connection)?.toLowerCase() !== "close") connections.keep(connection);
  else connection.destroy();
  return answer;
}

function requestOf(url: URL, request: SendRequest): Dispatcher.DispatchOptions {
  const { webhookId: id, body, secrets, timestamp: at, traceparent } = request;
  return {
    method: "POST",
    path: url.pathname + url.search,
    headers: {
      ...deliveryHeaders(secrets, { id, at, body }),
      "user-agent": USER_AGENT,
      ...(traceparent !== undefined && { traceparent }),
    },
    body,
  };
}

function judge({ status, kept, failure }: Answer): Pick<SendResult, "status" | "errorClass" | "answer"> {
  const answer = status === null ? null : answerText(kept);
  const ofStatus = status === null ? null : errorClassOfStatus(status);
  // A status counts, even if the body failed.
  if (ofStatus !== null) return { status, errorClass: ofStatus, answer };
  return { status, errorClass: failure === null ? null : failure.errorClass, answer };
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
