import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { findIssues, VALIDATORS } from "#contract/validation";
import type { RequestOf, RouteName } from "../api-types.ts";
import {
  LIMITS,
  PUBLISHER_PREFIX,
  PUBLISHER_ROUTES,
  type Transaction,
  type TransactionEvent,
} from "../generated/publisher-api.ts";
import { recordId } from "./builders.ts";
import { type FakeAnswer, FakeRoutes, type RouteAnswer } from "./fake-routes.ts";
import { Refusal } from "./refusal.ts";

/** A fault of one request. If both can be, `taken` says whether the request takes effect in spite of it. */
export type Fault =
  /** 503: nothing was accepted. */
  | { readonly kind: "unavailable"; readonly retryAfterSeconds?: number }
  /** 429: nothing was accepted. */
  | { readonly kind: "rate_limited"; readonly retryAfterSeconds?: number }
  /**
   * Ingest answers 202, as when the outcome is not known in time: the events are applied; the batch has the
   * outcome.
   */
  | { readonly kind: "accepted" }
  /** The right answer, `ms` milliseconds later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The connection ends without an answer. */
  | { readonly kind: "cut"; readonly taken?: boolean }
  /** 500 with a `batch_id`: the service does not know whether the events are stored. */
  | { readonly kind: "unknown"; readonly taken?: boolean };

export interface FakeStampedeOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** The only token that is let in. Default: `stp_test_token`. */
  readonly token?: string | undefined;
  /**
   * Whether to reject events of members that `member/bulk-upsert` did not make, as the service does. Default:
   * no, any member will do.
   */
  readonly knowsMembers?: boolean | undefined;
}

/** A request to the fake service. */
export interface FakeRequest {
  /** `<resource>/<action>`, or the path if it is none of the API. */
  readonly route: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

interface KeptAnswer {
  readonly text: string;
  readonly answer: FakeAnswer;
}

const DEFAULT_TOKEN = "stp_test_token";

/** Starts a fake service on this machine. It forgets everything when it is closed. */
export async function startFakeStampede(options: FakeStampedeOptions = {}): Promise<FakeStampede> {
  const server = createServer();
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  return new FakeStampede(server, options);
}

/**
 * Plays the publisher API in tests: validates every request by the service's own validators, keeps events and
 * members in memory, and decides the outcome of events by the service's own rules. Other lists are empty, and
 * `answer` sets the answers of other routes. No platform is behind it, so nothing earns a reward; for
 * webhooks there is `signDelivery`.
 */
export class FakeStampede {
  readonly url: string;
  readonly token: string;
  /** Every request that it got, refused ones too, in the order of arrival. */
  readonly requests: FakeRequest[] = [];
  readonly #server: Server;
  readonly #routes: FakeRoutes;
  readonly #faults: Fault[] = [];
  /** Ends the waiting of slow answers. */
  readonly #closing = new AbortController();
  readonly #kept = new Map<string, KeptAnswer>();
  #judge: (request: FakeRequest) => Fault | undefined = () => undefined;

  /** Use `startFakeStampede`. */
  constructor(server: Server, { token = DEFAULT_TOKEN, knowsMembers = false }: FakeStampedeOptions) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.token = token;
    this.#routes = new FakeRoutes(knowsMembers);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // A caller that hangs up in the middle of a request gets no answer.
      this.#serve(request, response).catch(() => request.socket.destroy());
    });
  }

  /** Events that took effect, in their order; one that was sent twice is here twice. */
  get events(): readonly TransactionEvent[] {
    return this.#routes.events;
  }

  transaction(externalId: string): Transaction | undefined {
    return this.#routes.transactions.get(externalId);
  }

  /** The faults of the next requests: the first fault is that of the first request, and so on. */
  fail(...faults: readonly Fault[]): void {
    this.#faults.push(...faults);
  }

  /** The fault of each request for which `fail` has none left; undefined for no fault. */
  failWhen(judge: (request: FakeRequest) => Fault | undefined): void {
    this.#judge = judge;
  }

  /** The answer of a route to valid requests from now on; `throw refuse(…)` for an error. */
  answer<R extends RouteName>(route: R, answer: RouteAnswer<R>): void {
    this.#routes.set(route, answer);
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closing.abort();
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(incoming);
    const path = incoming.url ?? "";
    const route = path.startsWith(PUBLISHER_PREFIX) ? path.slice(PUBLISHER_PREFIX.length) : path;
    const request: FakeRequest = { route, body: parse(text), headers: incoming.headers };
    this.requests.push(request);
    const fault = this.#faults.shift() ?? this.#judge(request);
    const answer = takesEffect(fault)
      ? await this.#answer(incoming, request, text, fault).catch(answerOfRefusal)
      : undefined;
    if (fault?.kind === "cut") {
      incoming.socket.destroy();
      return;
    }
    if (fault?.kind === "slow") await delay(fault.ms, undefined, { signal: this.#closing.signal });
    const { status, body, headers } = answerOfFault(fault) ?? answer ?? { status: 500, body: {} };
    response.writeHead(status, { "content-type": "application/json", "x-trace-id": TRACE_ID, ...headers });
    response.end(JSON.stringify(body));
  }

  async #answer(
    { method, headers }: IncomingMessage,
    { route, body }: FakeRequest,
    text: string,
    fault: Fault | undefined,
  ): Promise<FakeAnswer> {
    if (!Object.hasOwn(PUBLISHER_ROUTES, route))
      throw new Refusal("not_found", "no such path", { resource: "path" });
    if (method !== "POST") throw new Refusal("method_not_allowed", "only POST", {}, { allow: "POST" });
    if (headers.authorization !== `Bearer ${this.token}`) {
      throw new Refusal("authentication_error", "the token is unknown", {}, { "www-authenticate": "Bearer" });
    }
    const known = route as RouteName;
    validate(known, body, text);
    if (known !== "transaction/ingest") return this.#once(known, headers["idempotency-key"], text, body);
    const prefer = String(headers.prefer ?? "");
    const { events } = body as RequestOf<"transaction/ingest">;
    const isAsync = fault?.kind === "accepted" || prefer.includes("respond-async");
    return this.#routes.ingest(events, isAsync, prefer.includes("return=representation"));
  }

  /** The same key and body give the first answer again. */
  async #once(route: RouteName, key: unknown, text: string, body: unknown): Promise<FakeAnswer> {
    if (typeof key !== "string" || !PUBLISHER_ROUTES[route].keyed) return this.#routes.answer(route, body);
    const kept = this.#kept.get(`${route} ${key}`);
    if (kept === undefined) {
      const answer = await this.#routes.answer(route, body);
      this.#kept.set(`${route} ${key}`, { text, answer });
      return answer;
    }
    if (kept.text === text) return kept.answer;
    throw new Refusal("conflict", "the key was used for another body", { reason: "idempotency_key_reused" });
  }
}

const TRACE_ID = `${"0".repeat(31)}1`;

function validate(route: RouteName, body: unknown, text: string): void {
  if (Buffer.byteLength(text) > LIMITS.bodyBytes) {
    throw new Refusal("payload_too_large", "the body is too large", { limit_bytes: LIMITS.bodyBytes });
  }
  const check = VALIDATORS[route];
  if (check(body)) return;
  const { issues, total } = findIssues(check, body, Buffer.byteLength(text));
  const [{ path, message }] = issues;
  const data = total > issues.length ? { issues, issues_total: total } : { issues };
  throw new Refusal("bad_request", `${path === "" ? "the body" : path} ${message}`, data);
}

function answerOfRefusal(error: unknown): FakeAnswer {
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal("internal_error", `an answer of the fake failed: ${error}`);
  const { code, message, data, status, headers } = refusal;
  return { status, body: { error: { code, message, data, trace_id: TRACE_ID } }, headers };
}

/** The answer that a fault gives in place of the right one. */
function answerOfFault(fault: Fault | undefined): FakeAnswer | undefined {
  switch (fault?.kind) {
    case "unavailable":
    case "rate_limited": {
      const headers = { "retry-after": String(fault.retryAfterSeconds ?? 0) };
      return answerOfRefusal(new Refusal(fault.kind, "not now; nothing was accepted", {}, headers));
    }
    case "unknown": {
      const data = { batch_id: recordId("batch") };
      return answerOfRefusal(new Refusal("internal_error", "the outcome is not known", data));
    }
    default:
      return undefined;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString();
}

/** Undefined for what is not JSON, which no validator takes. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a request with this fault takes effect. */
function takesEffect(fault: Fault | undefined): boolean {
  switch (fault?.kind) {
    case "unavailable":
    case "rate_limited":
      return false;
    case "cut":
    case "unknown":
      return fault.taken ?? false;
    default:
      return true;
  }
}
