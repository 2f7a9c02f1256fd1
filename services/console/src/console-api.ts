import { ApiError, type ErrorCode } from "#contract";
import {
  type Admission,
  type AdmittedRequest,
  type Api,
  type AuthenticationFault,
  answerPage,
  errorResponse,
  type HttpRequest,
  type HttpResponse,
  notFound,
  PAGE_HEADERS,
  type Page,
  type RequestRecord,
} from "#http";
import { type Audit, codeIn } from "./audit.ts";
import type { Callers } from "./callers.ts";
import type { FieldChange } from "./changed-fields.ts";
import type { Body, ConsoleCall, ConsoleEndpoint } from "./endpoint.ts";
import type { OrganisationTokens } from "./organisation-tokens.ts";
import { REQUEST_HEADERS, readBody, readReason, readShown, refuseForeign } from "./read-request.ts";
import { type Identity, mayActAs } from "./roles.ts";
import { PAGE_LABEL, SECURITY_HEADERS, type StaticFiles } from "./static-files.ts";

const ORGANISATION_HEADER = "stampede-console-organisation";
const IDEMPOTENCY_HEADER = "idempotency-key";

export const CONSOLE_HEADERS = [
  ...PAGE_HEADERS,
  ...REQUEST_HEADERS,
  "content-type",
  ORGANISATION_HEADER,
  IDEMPOTENCY_HEADER,
];

/** Answers of the API are for one user, and change. */
const ANSWER_HEADERS = { ...SECURITY_HEADERS, "cache-control": "no-store" };

const JSON_TYPE = /^application\/json *(?:;|$)/i;

/** An operation for callers without a session. */
export interface DoorEndpoint {
  readonly route: string;
  run(body: Body, request: HttpRequest): Promise<HttpResponse>;
}

interface ConsoleApiOptions {
  /** Begins and ends with a slash. */
  readonly base: string;
  readonly pages: StaticFiles;
  readonly endpoints: readonly ConsoleEndpoint[];
  readonly door: readonly DoorEndpoint[];
  readonly callers: Callers;
  readonly tokens: OrganisationTokens;
  readonly audit: Audit;
  /** The console's origin in browsers; undefined: loopback. */
  readonly origin: string | undefined;
  readonly observe: (record: RequestRecord<Identity>) => void;
  /** Turns a fault into a refusal (a lost database into `unavailable`); undefined leaves it a 500. */
  readonly explainFault: (error: unknown, mayHaveChanged: boolean) => ApiError | undefined;
  readonly onFault: (error: unknown, traceId: string) => void;
}

/** All callers without a session have one share of the memory for bodies. */
const STRANGERS = "";

/** A request, and what is known of it so far. */
interface Exchange {
  readonly request: HttpRequest;
  bodyBytes: number;
  caller: Identity | undefined;
  refusal: ApiError | undefined;
}

/** GET gives the page and its files to anyone: they hold no data. POST below `api/` is the console's API. */
export class ConsoleApi implements Api {
  readonly #options: ConsoleApiOptions;
  readonly #endpoints: ReadonlyMap<string, ConsoleEndpoint>;
  readonly #door: ReadonlyMap<string, DoorEndpoint>;
  readonly #apiPrefix: string;

  constructor(options: ConsoleApiOptions) {
    this.#options = options;
    this.#endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.route, endpoint]));
    this.#door = new Map(options.door.map((endpoint) => [endpoint.route, endpoint]));
    this.#apiPrefix = `${options.base}api/`;
  }

  /** The head decides who asks, and whether the caller may: no other body is read. */
  admit(request: HttpRequest): Admission | Promise<Admission> {
    if (request.method === "GET" || request.method === "HEAD") return this.#answerGet(request);
    const exchange = begin(request);
    const refusal = this.#refuseHead(request);
    if (refusal !== undefined) return this.#refuse(exchange, refusal);
    const route = this.#routeOf(request);
    const door = this.#door.get(route);
    if (door !== undefined) {
      return this.#letIn(exchange, STRANGERS, false, async (bytes) => door.run(readBody(bytes), request));
    }
    const endpoint = this.#endpoints.get(route) as ConsoleEndpoint;
    return this.#judge(exchange, endpoint).catch((error: unknown) =>
      this.#refuse(exchange, this.#refusalOf(error, request.traceId, false)),
    );
  }

  async #judge(exchange: Exchange, endpoint: ConsoleEndpoint): Promise<Admission> {
    const { request } = exchange;
    const identity = await this.#options.callers.identify(request);
    exchange.caller = identity;
    if (!mayActAs(identity.role, endpoint.role)) {
      const data = { reason: "role", role: endpoint.role };
      throw new ApiError("authorization_error", `this is for the role ${endpoint.role}`, data);
    }
    const reason = endpoint.kind === "change" ? readReason(request) : undefined;
    return this.#letIn(exchange, `${identity.role} ${identity.user}`, endpoint.kind === "read", (bytes) =>
      this.#run(request, endpoint, { identity, reason, body: readBody(bytes) }),
    );
  }

  #letIn(
    exchange: Exchange,
    sender: string,
    isRead: boolean,
    run: (bytes: Uint8Array) => Promise<HttpResponse>,
  ): AdmittedRequest {
    return {
      sender,
      isRead,
      handle: (bytes, respond) => {
        exchange.bodyBytes = bytes.length;
        // In a promise, so that what `readBody` throws is refused in the same way.
        Promise.resolve(bytes)
          .then(run)
          .then(
            (response) => {
              respond({ ...response, headers: { ...ANSWER_HEADERS, ...response.headers } });
              this.#end(exchange, response.status, codeIn(response));
            },
            (error: unknown) =>
              respond(this.#refuse(exchange, this.#refusalOf(error, exchange.request.traceId, !isRead))),
          );
      },
    };
  }

  async #answerGet(request: HttpRequest): Promise<HttpResponse> {
    const { pages, base } = this.#options;
    const page = pages.files.get(request.path) ?? this.#screen(request.path);
    const exchange = begin(request);
    if (page === undefined) {
      if (`${request.path}/` === base) return this.#toBase(exchange);
      return this.#refuse(exchange, notFound("path"));
    }
    const response = await answerPage(page, request);
    this.#end(exchange, response.status, "ok");
    return response;
  }

  /** Every path below the base is a screen of the page, except its files and the API. */
  #screen(path: string): Page | undefined {
    const { base, pages } = this.#options;
    const isOther = path.startsWith(`${base}page/`) || path.startsWith(this.#apiPrefix);
    return path.startsWith(base) && !isOther ? pages.index : undefined;
  }

  #toBase(exchange: Exchange): HttpResponse {
    this.#end(exchange, 308, "ok");
    return { status: 308, headers: { ...SECURITY_HEADERS, location: this.#options.base }, body: "" };
  }

  #refuseHead(request: HttpRequest): ApiError | undefined {
    const route = this.#routeOf(request);
    if (!this.#endpoints.has(route) && !this.#door.has(route)) {
      return notFound("path");
    }
    if (request.method !== "POST") return new ApiError("method_not_allowed", "only POST is answered here");
    const foreign = refuseForeign(request, this.#options.origin);
    if (foreign !== undefined) return foreign;
    if (JSON_TYPE.test(request.header("content-type") ?? "")) return undefined;
    return new ApiError("unsupported_media_type", "send content-type: application/json");
  }

  async #run(
    request: HttpRequest,
    endpoint: ConsoleEndpoint,
    { identity, reason, body }: Pick<ConsoleCall, "identity" | "reason" | "body">,
  ): Promise<HttpResponse> {
    const { callers, tokens, audit } = this.#options;
    // A body may come long after its head; meanwhile the session may have ended.
    if (endpoint.kind === "change") await callers.identify(request);
    endpoint.admit?.(body, identity);
    const chosen = request.header(ORGANISATION_HEADER);
    let subject = endpoint.subject?.(body);
    const call: ConsoleCall = {
      body,
      identity,
      organisation: () => tokens.choose(identity, chosen),
      reason,
      shown: readShown(request),
      traceId: request.traceId,
      idempotencyKey: request.header(IDEMPOTENCY_HEADER),
      about: (known) => {
        subject = known;
      },
    };
    if (endpoint.kind === "read") return endpoint.run(call);
    const organisationId = chosenOrNone(() => call.organisation().id);
    const isJoining = endpoint.kind === "look-up" && endpoint.isNamed?.(body) === true;
    // Read before the line is written, which holds it. If it cannot be read, the change is not made, and the line says so.
    const prepared = await settle(endpoint.changes?.(call));
    const line = {
      identity,
      organisationId,
      action: endpoint.route,
      subject,
      reason,
      changes: prepared.changes,
      isJoining,
    };
    return audit.around(
      line,
      async () => {
        if (prepared.refusal !== undefined) throw prepared.refusal;
        return endpoint.run(call);
      },
      () => subject,
    );
  }

  #routeOf({ path }: HttpRequest): string {
    return path.startsWith(this.#apiPrefix) ? path.slice(this.#apiPrefix.length) : "";
  }

  #refusalOf(error: unknown, traceId: string, mayHaveChanged: boolean): ApiError {
    const refusal = error instanceof ApiError ? error : this.#options.explainFault(error, mayHaveChanged);
    if (refusal !== undefined) return refusal;
    this.#options.onFault(error, traceId);
    return new ApiError("internal_error", "the console failed; it has been logged");
  }

  #refuse(exchange: Exchange, refusal: ApiError): HttpResponse {
    exchange.refusal = refusal;
    const response = errorResponse(refusal, exchange.request.traceId);
    this.#end(exchange, response.status, refusal.code);
    return { ...response, headers: { ...ANSWER_HEADERS, ...response.headers } };
  }

  #end({ request, bodyBytes, caller, refusal }: Exchange, status: number, code: ErrorCode | "ok"): void {
    const route = this.#routeOf(request);
    const isKnown = this.#endpoints.has(route) || this.#door.has(route);
    const isPage = (request.method === "GET" || request.method === "HEAD") && code === "ok";
    this.#options.observe({
      traceId: request.traceId,
      route: isKnown ? route : isPage ? PAGE_LABEL : "unknown",
      status,
      code,
      durationMs: performance.now() - request.startedAt,
      bodyBytes,
      caller,
      authenticationFault: refusal && faultOf(refusal),
    });
  }
}

function begin(request: HttpRequest): Exchange {
  return { request, bodyBytes: 0, caller: undefined, refusal: undefined };
}

/** Faults of sessions, links and proxies, in the words of the metric that APIs have for tokens. */
function faultOf({ code, data }: ApiError): AuthenticationFault | undefined {
  if (code !== "authentication_error") return undefined;
  if (data.reason === "no_session") return "missing";
  return data.reason === "session_over" || data.reason === "link_over" ? "expired" : "unknown";
}

/** Undefined for the line of a request that names no organisation, or one that the caller may not see. */
function chosenOrNone(choose: () => string): string | undefined {
  try {
    return choose();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function settle(changes: Promise<readonly FieldChange[]> | undefined) {
  try {
    return { changes: await changes, refusal: undefined };
  } catch (refusal) {
    if (refusal instanceof ApiError) return { changes: undefined, refusal };
    throw refusal;
  }
}
