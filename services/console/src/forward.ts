import { ApiError, LIMITS, PUBLISHER_PREFIX } from "#contract";
import { PLATFORM_PREFIX } from "#contract/platform";
import type { HttpResponse } from "#http";
import type { Settings } from "#runtime";
import type { Body, ConsoleCall, ConsoleEndpoint } from "./endpoint.ts";
import type { OrganisationTokens } from "./organisation-tokens.ts";
import { isNamed, PLATFORM_RIGHTS, PUBLISHER_RIGHTS, type Right, subjectOf } from "./rights.ts";

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
  return base.replace(/\/+$/, "") + path;
}

/** What an API answered, without what is never shown. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | undefined;
}

/** An endpoint for every route of the two tables of rights. */
export function forwardingEndpoints(apis: Apis): ConsoleEndpoint[] {
  const publisher = Object.entries(PUBLISHER_RIGHTS).map(([route, right]) =>
    forwarding(`publisher.v1/${route}`, right, (call) =>
      apis.publisher(call, route, call.body, right.access),
    ),
  );
  const platform = Object.entries(PLATFORM_RIGHTS).map(([route, right]) =>
    forwarding(`platform.v1/${route}`, right, (call) => apis.platform(call, route, call.body)),
  );
  return [...publisher, ...platform];
}

function forwarding(
  route: string,
  right: Right,
  forward: (call: ConsoleCall) => Promise<Answered>,
): ConsoleEndpoint {
  return {
    route,
    role: right.role,
    kind: right.kind,
    subject: (body) => subjectOf(right, body),
    isNamed: (body) => isNamed(right, body),
    run: async (call) => {
      const answered = await forward(call);
      const ids = right.namedByAnswer ? idsIn(answered.body) : "";
      if (ids !== "") call.about(ids);
      return toResponse(answered);
    },
  };
}

export function toResponse({ status, body, retryAfter }: Answered): HttpResponse {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return { status, headers, body: JSON.stringify(body) };
}

const NAMED = 10;

/** The ids of what was found: of a list, or of one record. */
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
  // To the caller these would mean that it is not let in, when it is the console that is not.
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

/** Fields of answers that are not shown, in whatever route: secrets are left out, hashes of cards are cut short. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["token", "secret", "secrets", "auth_code", "bin"]);
const SHOWN_OF_IDENTIFIER = 8;

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET_FIELDS.has(key)) return undefined;
  if (key !== "identifiers" || !Array.isArray(value)) return value;
  return value.map((identifier) => `${String(identifier).slice(0, SHOWN_OF_IDENTIFIER)}…`);
}
