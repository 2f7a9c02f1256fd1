import { ApiError, LIMITS, PUBLISHER_PREFIX } from "#contract";
import { PLATFORM_PREFIX } from "#contract/platform";
import type { HttpResponse } from "#http";
import type { Settings } from "#runtime";
import { changedFields, SECRET_FIELDS } from "./changed-fields.ts";
import { shortIdentifier } from "./dead-letters/read-letters.ts";
import type { Body, ConsoleCall, ConsoleEndpoint } from "./endpoint.ts";
import type { OrganisationTokens } from "./organisation-tokens.ts";
import { admitBody, isNamed, PLATFORM_RIGHTS, PUBLISHER_RIGHTS, type Right, subjectOf } from "./rights.ts";

/** Calls the two APIs with the console's tokens, which never leave this process. */
export class Apis {
  readonly #settings: Pick<Settings, "consolePublisherUrl" | "consolePlatformUrl" | "consolePlatformToken">;
  readonly #tokens: OrganisationTokens;

  constructor(
    settings: Pick<Settings, "consolePublisherUrl" | "consolePlatformUrl" | "consolePlatformToken">,
    tokens: OrganisationTokens,
  ) {
    this.#settings = settings;
    this.#tokens = tokens;
  }

  get hasPlatform(): boolean {
    return this.#settings.consolePlatformToken !== undefined;
  }

  /** Calls a route of `publisher.v1` for the organisation of `call`. */
  publisher(call: ConsoleCall, route: string, body: Body, access: "read" | "write"): Promise<Answered> {
    const organisation = call.organisation();
    const token = this.#tokens.tokenOf(organisation, access);
    if (token === undefined) {
      const data = { reason: "console_token" };
      throw new ApiError("authorization_error", `the console may only read ${organisation.name}`, data);
    }
    return ask(urlOf(this.#settings.consolePublisherUrl, PUBLISHER_PREFIX + route), token, body, call);
  }

  /** Calls a route of `platform.v1`. */
  platform(call: ConsoleCall, route: string, body: Body): Promise<Answered> {
    const { consolePlatformUrl, consolePlatformToken: token } = this.#settings;
    if (token === undefined) {
      const data = { reason: "no_platform" };
      throw new ApiError("not_found", "this console has no token of the platform", data);
    }
    return ask(urlOf(consolePlatformUrl, PLATFORM_PREFIX + route), token, body, call);
  }
}

function urlOf(base: string, path: string): string {
  return base.replace(/(?<!\/)\/+$/, "") + path;
}

/** The answer of an API, without secrets. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | undefined;
}

/** Calls a route of one API. */
export type Asked = (
  call: ConsoleCall,
  route: string,
  body: Body,
  access: "read" | "write",
) => Promise<Answered>;

/**
 * An endpoint for every route of the two tables of rights.
 * @param payments calls the routes that answer with payments
 */
export function forwardingEndpoints(apis: Apis, payments: Asked): ConsoleEndpoint[] {
  const publisher: Asked = (...asked) => apis.publisher(...asked);
  const platform: Asked = (call, route, body) => apis.platform(call, route, body);
  return [
    ...Object.entries(PUBLISHER_RIGHTS).map((entry) => forwarding("publisher.v1", entry, publisher)),
    ...Object.entries(PLATFORM_RIGHTS).map(([route, right]) =>
      forwarding("platform.v1", [route, right], right.hasPayments ? payments : platform),
    ),
  ];
}

function forwarding(api: string, [route, right]: [string, Right], ask: Asked): ConsoleEndpoint {
  const { changes } = right;
  return {
    route: `${api}/${route}`,
    role: right.role,
    kind: right.kind,
    subject: (body) => subjectOf(right, body),
    isNamed: (body) => isNamed(right, body),
    admit: (body, identity) => admitBody(right, body, identity),
    ...(changes !== undefined && {
      changes: async (call: ConsoleCall) => {
        const record = await readRecord(ask, call, changes.read);
        const changed = changedFields(record, call.body, changes.form);
        // A save that is repeated because its answer was lost finds its own change.
        if (changed.length > 0) assertShown(call, record);
        return changed;
      },
    }),
    run: async (call) => {
      const answered = await ask(call, route, call.body, right.access);
      const ids = right.namedByAnswer ? idsIn(answered.body) : "";
      if (ids !== "") call.about(ids);
      return toResponse(answered);
    },
  };
}

/**
 * The record before a change; undefined if the request makes one, or there is none. Another user may change it in between: then
 * the line has the state before that other change.
 */
async function readRecord(ask: Asked, call: ConsoleCall, route: string): Promise<Body | undefined> {
  const { id } = call.body;
  if (typeof id !== "string") return undefined;
  const { status, body, retryAfter } = await ask(call, route, { id }, "read");
  if (status === 200) return body as Body;
  // The change will get the same answer: there is no such record, or the id is malformed.
  if (status === 400 || status === 404) return undefined;
  const data = { reason: "api_away", ...(retryAfter !== undefined && { retry_after: retryAfter }) };
  throw new ApiError("unavailable", `what is changed could not be read first (${status})`, data);
}

/**
 * A save replaces the whole record, so it would take back what another user changed after the page read it. A change in the moment
 * between this look and the save is not noticed.
 */
function assertShown({ shown }: ConsoleCall, record: Body | undefined): void {
  if (shown === undefined || record === undefined || record.updated_at === shown) return;
  const message =
    "somebody changed it after this page read it: load the page again, and make your change there";
  throw new ApiError("conflict", message, { reason: "changed_meanwhile" });
}

export function toResponse({ status, body, retryAfter }: Answered): HttpResponse {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return { status, headers, body: JSON.stringify(body) };
}

const NAMED = 10;

/** The ids in an answer: of a list, or of one record. */
function idsIn(answer: unknown): string {
  const { data, id } = answer as { data?: ReadonlyArray<{ id?: unknown }>; id?: unknown };
  const found = Array.isArray(data) ? data.slice(0, NAMED) : id === undefined ? [] : [{ id }];
  return found.map((record: { id?: unknown }) => String(record.id)).join(", ");
}

async function ask(
  url: string,
  token: string,
  body: Body,
  { traceId, idempotencyKey }: ConsoleCall,
): Promise<Answered> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        traceparent: `00-${traceId}-${traceId.slice(0, 16)}-00`,
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(LIMITS.consoleForwardMs),
    });
    text = await response.text();
  } catch (error) {
    const data = { reason: "api_away" };
    throw Object.assign(new ApiError("unavailable", `${new URL(url).host} does not answer`, data), {
      cause: error,
    });
  }
  // These statuses are about the console's token; to the caller they would mean its own session.
  if (response.status === 401 || response.status === 403) {
    throw new ApiError("unavailable", "the console's own token was refused", { reason: "console_token" });
  }
  const retryAfter = response.headers.get("retry-after") ?? undefined;
  try {
    return { status: response.status, body: JSON.parse(text, withoutSecrets), retryAfter };
  } catch {
    throw new ApiError("unavailable", `${new URL(url).host} answered with something else than JSON`);
  }
}

/** Leaves secrets out of the answers of all routes, and cuts hashes of cards. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET_FIELDS.has(key)) return undefined;
  if (key !== "identifiers" || !Array.isArray(value)) return value;
  return value.map((identifier) => shortIdentifier(String(identifier)));
}
