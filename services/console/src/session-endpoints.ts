import { readFileSync } from "node:fs";
import { ApiError, LIMITS } from "#contract";
import { jsonResponse } from "#http";
import type { Sql } from "#postgres";
import { type Callers, cookieName, readCookie } from "./callers.ts";
import type { DoorEndpoint } from "./console-api.ts";
import type { ConsoleEndpoint } from "./endpoint.ts";
import { type OrganisationTokens, showOrganisation } from "./organisation-tokens.ts";
import { closeSession, openSession } from "./sessions.ts";

const { version: VERSION } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

interface SessionParts {
  readonly callers: Callers;
  readonly tokens: OrganisationTokens;
  readonly hasPlatform: boolean;
}

/** `session`: who one is here, and what there is to see. */
export function sessionEndpoint({ callers, tokens, hasPlatform }: SessionParts): ConsoleEndpoint {
  return {
    route: "session",
    role: "support",
    kind: "read",
    run: async ({ identity }) => {
      const organisations = tokens.visibleTo(identity).map(showOrganisation);
      const { user, role } = identity;
      const organisation = organisations.length === 1 ? organisations[0] : null;
      const by_link = callers.byLink;
      const platform = hasPlatform;
      return jsonResponse(200, {
        user,
        role,
        organisation,
        organisations,
        by_link,
        platform,
        version: VERSION,
      });
    },
  };
}

interface CookieSettings {
  readonly consolePort: number;
  readonly consoleBasePath: string;
  readonly consoleOrigin: string | undefined;
}

/**
 * `session/open` `{link}` turns a link's secret into a session's cookie, and `session/close` ends the session. The link came in
 * the fragment of an address, which browsers keep to themselves, so that it stands in no log on the way.
 */
export function doorEndpoints(sql: Sql, settings: CookieSettings): DoorEndpoint[] {
  const name = cookieName(settings.consolePort);
  const cookie = (value: string, seconds: number) => ({
    "set-cookie": describeCookie(name, value, seconds, settings),
  });
  return [
    {
      route: "session/open",
      run: async ({ link }) => {
        const secret = typeof link === "string" && link !== "" ? await openSession(sql, link) : undefined;
        if (secret === undefined) {
          const message = "this link was used, or is too old; `stampede console link` makes another";
          throw new ApiError("authentication_error", message, { reason: "link_over" });
        }
        return jsonResponse(200, {}, cookie(secret, LIMITS.consoleSessionMs / 1000));
      },
    },
    {
      route: "session/close",
      run: async (_, request) => {
        const secret = readCookie(request.header("cookie"), name);
        if (secret !== undefined) await closeSession(sql, secret);
        return jsonResponse(200, {}, cookie("", 0));
      },
    },
  ];
}

function describeCookie(name: string, value: string, seconds: number, settings: CookieSettings): string {
  const isSecure = settings.consoleOrigin?.startsWith("https:") === true;
  const rules = [`Path=${settings.consoleBasePath}`, `Max-Age=${seconds}`, "HttpOnly", "SameSite=Strict"];
  return [`${name}=${value}`, ...rules, ...(isSecure ? ["Secure"] : [])].join("; ");
}
