import { ApiError, LIMITS } from "#contract";
import { badRequest, jsonResponse } from "#http";
import type { Sql, Store } from "#postgres";
import { endConsoleEntrances, listConsoleEntrances } from "#publisher-db";
import { type Callers, cookieName, readCookie } from "./callers.ts";
import type { DoorEndpoint } from "./console-api.ts";
import type { Body, ConsoleEndpoint } from "./endpoint.ts";
import { type OrganisationTokens, showOrganisation } from "./organisation-tokens.ts";
import { type Identity, mayActAs } from "./roles.ts";
import { closeSession, openSession } from "./sessions.ts";

interface SessionParts {
  readonly callers: Callers;
  readonly tokens: OrganisationTokens;
  readonly hasPlatform: boolean;
}

/** `session`: the caller, and what the caller may see. */
export function sessionEndpoint({ callers, tokens, hasPlatform }: SessionParts): ConsoleEndpoint {
  return {
    route: "session",
    role: "support",
    kind: "read",
    run: async ({ identity }) => {
      const { user, role } = identity;
      return jsonResponse(200, {
        user,
        role,
        organisations: tokens.visibleTo(identity).map(showOrganisation),
        by_link: callers.byLink,
        platform: hasPlatform,
      });
    },
  };
}

/**
 * `sessions/list` and `sessions/end`, where users sign in by links: open sessions and unused links, and their end.
 * Administrators have those of all users, others their own.
 */
export function entranceEndpoints(store: Store): ConsoleEndpoint[] {
  return [
    {
      route: "sessions/list",
      role: "support",
      kind: "read",
      run: async ({ identity }) =>
        jsonResponse(200, { entrances: await listConsoleEntrances(store, ownOf(identity)) }),
    },
    {
      route: "sessions/end",
      role: "support",
      kind: "change",
      admit: (body, identity) => {
        const { id, user } = readChoice(body);
        const own = ownOf(identity);
        if (own === undefined || id !== undefined || user === own) return;
        const data = { reason: "role", role: "administrator" };
        throw new ApiError(
          "authorization_error",
          "the sessions of others are for the role administrator",
          data,
        );
      },
      subject: (body) => {
        const { id, user } = readChoice(body);
        return id === undefined ? (user ?? "everybody") : `session ${id}`;
      },
      run: async ({ body, identity }) => {
        const { id, user } = readChoice(body);
        // Others than administrators end only their own, by id too: another user's session does not exist for them.
        const ended = await endConsoleEntrances(store, { id, user: ownOf(identity) ?? user });
        if (id === undefined || ended.sessions + ended.links > 0) return jsonResponse(200, ended);
        throw new ApiError("not_found", "no such session: it has ended", { resource: "session" });
      },
    },
  ];
}

/** The user whose sessions the caller may see and end; undefined: all users. */
function ownOf({ user, role }: Identity): string | undefined {
  return mayActAs(role, "administrator") ? undefined : user;
}

/** One of `{id}`, `{user}` and `{all: true}`: an empty body ends nothing. */
function readChoice(body: Body): { readonly id?: string; readonly user?: string } {
  const [[field, value] = ["", undefined], ...others] = Object.entries(body);
  if (others.length === 0) {
    if (field === "id" && typeof value === "string" && /^[0-9a-f]{16}$/.test(value)) return { id: value };
    if (field === "user" && typeof value === "string" && isUserName(value)) return { user: value };
    if (field === "all" && value === true) return {};
  }
  const message = "must be one of {id}, as the list shows it, {user} and {all: true}";
  throw badRequest(`the body ${message}`, { path: "", message });
}

/** The names that a link may have; PostgreSQL keeps no U+0000. */
const isUserName = (text: string) => text !== "" && text.length <= 200 && !text.includes("\0");

interface CookieSettings {
  readonly consolePort: number;
  readonly consoleBasePath: string;
  readonly consoleOrigin: string | undefined;
}

/**
 * `session/open` `{link}` turns a link's secret into a session's cookie, and `session/close` ends the session. The link was in
 * the fragment of an address, which browsers send to no server, so that no log has it.
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
