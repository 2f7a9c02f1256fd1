import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookEvent } from "./generated/publisher-api.ts";
import {
  checkSecrets,
  readHeader,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-webhook.ts";
import { BodyError, readFetchBody, readNodeBody } from "./webhook-body.ts";

/** One delivery, beside its events. */
export interface DeliveryInfo {
  /** The same for every attempt at the delivery. */
  readonly id: string;
  /** When this attempt was made, by the service's clock. */
  readonly attemptedAt: Date;
}

/** One secret, or several while secrets overlap after `webhook/rotate-secret`: one of them has to match. */
type Secrets = string | readonly string[];

export interface WebhookHandlerOptions {
  /** `whsec_…`. A function is asked at each delivery, so that a rotated secret needs no restart. */
  readonly secret: Secrets | (() => Secrets | Promise<Secrets>);
  /**
   * Takes one event. Events come one after the other, in order: the next one when the promise of the one
   * before it is fulfilled. If it throws, the rest of the delivery is not taken and the answer is 500, so
   * that Stampede sends the whole delivery again. The same event may therefore come again, also after a
   * success whose answer was lost: remember `event_id`, in the database transaction that has its effect, and
   * skip an event that you have seen. All events of a delivery, up to 100, have 15 s; queue longer work. The
   * service may add types: ignore those that you do not know.
   */
  readonly onEvent: (event: WebhookEvent, delivery: DeliveryInfo) => unknown;
  /**
   * Called with the reason why a delivery was not taken: the error of `onEvent`, or a
   * `WebhookVerificationError` if the request was not signed with the secret. Default: a warning of the
   * process for the first; nothing for the second, which any sender on the network can cause.
   */
  readonly onError?: ((error: unknown, delivery: DeliveryInfo | undefined) => void) | undefined;
  /** Larger bodies are refused with 413 and not read. Default 1 MiB; a delivery has at most 100 events, some 50 KiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How far the time of the attempt may be from now, either way. Default 300 s. */
  readonly toleranceSeconds?: number | undefined;
}

/** Takes deliveries in Node's server, in Express and the like, and in servers that speak `Request` and `Response`. */
export interface WebhookHandler {
  (request: Request): Promise<Response>;
  (request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface HandlerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Receives webhooks: bounds and reads the body, checks signature and time, hands over the events, and answers.
 * 204: all events are taken. 400: not signed with the secret. 405, 413: no delivery at all. 500: not taken, Stampede
 * sends it again. `webhook.delivery/list` shows these answers.
 * @throws WebhookVerificationError `invalid_secret`, at once unless `secret` is a function
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  if (typeof options.secret !== "function") checkSecrets(secretList(options.secret));
  const receiver = new WebhookReceiver(options);
  async function handle(request: Request | IncomingMessage, response?: ServerResponse): Promise<unknown> {
    if (isFetchRequest(request)) {
      const { status, headers, text } = await receiver.receive(request.method, request.headers, (limit) =>
        readFetchBody(request, limit),
      );
      return new Response(text ?? null, { status, ...(headers && { headers }) });
    }
    const { status, headers, text } = await receiver.receive(request.method, request.headers, (limit) =>
      readNodeBody(request, limit),
    );
    // If the sender has hung up meanwhile, it sends the delivery again.
    response?.writeHead(status, headers).end(text);
    return undefined;
  }
  return handle as WebhookHandler;
}

/**
 * A server of the fetch kind may hand over a second argument too, so only the first one tells the two kinds
 * apart.
 */
function isFetchRequest(request: Request | IncomingMessage): request is Request {
  return typeof (request.headers as { get?: unknown }).get === "function";
}

function secretList(secrets: Secrets): readonly string[] {
  return typeof secrets === "string" ? [secrets] : secrets;
}

class WebhookReceiver {
  readonly #options: WebhookHandlerOptions;
  /** Deliveries whose events are being taken, by id. */
  readonly #underWay = new Map<string, Promise<HandlerAnswer>>();

  constructor(options: WebhookHandlerOptions) {
    this.#options = options;
  }

  async receive(
    method: string | undefined,
    headers: WebhookHeaders,
    readBody: (limitBytes: number) => Promise<string | Uint8Array>,
  ): Promise<HandlerAnswer> {
    if (method !== "POST") return { status: 405, headers: { allow: "POST" }, text: "deliveries are POSTs" };
    try {
      const body = await readBody(this.#options.maxBodyBytes ?? MAX_BODY_BYTES);
      const { secret, toleranceSeconds } = this.#options;
      const secrets = secretList(typeof secret === "function" ? await secret() : secret);
      const events = verifyWebhook(
        secrets,
        headers,
        body,
        toleranceSeconds === undefined ? {} : { toleranceSeconds },
      );
      return await this.#join(deliveryInfo(headers), events);
    } catch (error) {
      return this.#refuse(error);
    }
  }

  /**
   * Stampede gives an attempt up after 15 s and repeats it, perhaps while `onEvent` still takes its events
   * here. Side by side, the two would take every event twice and out of order, so the new attempt gets the
   * answer of the one under way.
   */
  #join(delivery: DeliveryInfo, events: readonly WebhookEvent[]): Promise<HandlerAnswer> {
    const joined = this.#underWay.get(delivery.id);
    if (joined !== undefined) return joined;
    const answer = this.#take(delivery, events).finally(() => this.#underWay.delete(delivery.id));
    this.#underWay.set(delivery.id, answer);
    return answer;
  }

  async #take(delivery: DeliveryInfo, events: readonly WebhookEvent[]): Promise<HandlerAnswer> {
    try {
      for (const event of events) await this.#options.onEvent(event, delivery);
      return { status: 204 };
    } catch (error) {
      this.#tell(error, delivery);
      // The error may hold any data, and the service keeps the answer.
      return plainText(500, "an event could not be taken");
    }
  }

  #refuse(error: unknown): HandlerAnswer {
    if (error instanceof BodyError) return plainText(error.status, error.message, { connection: "close" });
    if (error instanceof WebhookVerificationError && error.code !== "invalid_secret") {
      if (this.#options.onError !== undefined) this.#tell(error, undefined);
      return plainText(400, `${error.code}: ${error.message}`);
    }
    // The fault is on this side, so the delivery must not count as refused for good.
    this.#tell(error, undefined);
    return plainText(500, "the delivery could not be checked");
  }

  #tell(error: unknown, delivery: DeliveryInfo | undefined): void {
    try {
      if (this.#options.onError !== undefined) this.#options.onError(error, delivery);
      else warn("a delivery of Stampede was not taken and will come again", error);
    } catch (fault) {
      // The request still has to be answered.
      warn("onError of webhookHandler failed", fault);
    }
  }
}

function warn(what: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`${what}: ${reason}`, "StampedeWarning");
}

/** Of headers that are checked. */
function deliveryInfo(headers: WebhookHeaders): DeliveryInfo {
  const seconds = Number(readHeader(headers, "webhook-timestamp"));
  return { id: readHeader(headers, "webhook-id"), attemptedAt: new Date(seconds * 1000) };
}

function plainText(status: number, text: string, headers: Record<string, string> = {}): HandlerAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, text };
}
