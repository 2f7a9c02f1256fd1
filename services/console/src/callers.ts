import { ApiError } from "#contract";
import { isTrustedProxy, type TrustedProxies, trustedProxies } from "#domain";
import type { HttpRequest } from "#http";
import type { Sql } from "#postgres";
import { type Log, type Settings, StartError } from "#runtime";
import type { OrganisationTokens } from "./organisation-tokens.ts";
import { type Identity, mayActAs, ROLES, type Role } from "./roles.ts";
import { findSession } from "./sessions.ts";

/** Identifies callers, by proxies or by sign-in links; an installation has one of the two. */
export interface Callers {
  /** Whether users sign in by links. */
  readonly byLink: boolean;
  /** Request headers that are read. */
  readonly headers: readonly string[];
  /** Call it before the request is answered. @throws ApiError `authentication_error` */
  identify(request: HttpRequest): Promise<Identity>;
}

const USER_LENGTH = 200;
const PROXY_REPLACES = "the proxy has to replace what callers send";

/** An entry of STAMPEDE_CONSOLE_GROUPS. */
interface Grant {
  readonly group: string;
  readonly role: Role;
  readonly organisationId: string | undefined;
}

type ProxySettings = Pick<
  Settings,
  "consoleProxies" | "consoleUserHeader" | "consoleGroupsHeader" | "consoleGroups"
>;

/** As the settings say. */
export function createCallers(
  settings: ProxySettings & Pick<Settings, "consolePort">,
  { sql, tokens, log }: { sql: Sql; tokens: OrganisationTokens; log: Log },
): Callers {
  if (settings.consoleProxies.length > 0) return new ProxiedCallers(settings, tokens, log);
  return new LinkedCallers(sql, cookieName(settings.consolePort));
}

/** With the port, because browsers keep one set of cookies for all ports of a machine, which may have two consoles. */
export function cookieName(port: number): string {
  return `stampede_console_${port}`;
}

/** Users with the cookie of a session, which a link opened. */
class LinkedCallers implements Callers {
  readonly byLink = true;
  readonly headers = ["cookie"];
  readonly #sql: Sql;
  readonly #cookie: string;

  constructor(sql: Sql, cookie: string) {
    this.#sql = sql;
    this.#cookie = cookie;
  }

  async identify(request: HttpRequest): Promise<Identity> {
    const secret = readCookie(request.header("cookie"), this.#cookie);
    const identity = secret === undefined ? undefined : await findSession(this.#sql, secret);
    if (identity !== undefined) return identity;
    const reason = secret === undefined ? "no_session" : "session_over";
    throw new ApiError("authentication_error", "come by a link: `stampede console link` makes one", {
      reason,
    });
  }
}

/** Users that a proxy names with every request. Its headers count only on a connection from one of the proxies. */
export class ProxiedCallers implements Callers {
  readonly byLink = false;
  readonly headers: readonly string[];
  readonly #settings: ProxySettings;
  readonly #proxies: TrustedProxies;
  readonly #grants: readonly Grant[];

  constructor(settings: ProxySettings, tokens: Pick<OrganisationTokens, "find">, log: Log) {
    this.#settings = settings;
    this.#proxies = trustedProxies(settings.consoleProxies);
    this.#grants = settings.consoleGroups.flatMap((entry) => readGrant(entry, tokens, log));
    this.headers = [settings.consoleUserHeader, settings.consoleGroupsHeader];
    if (this.#grants.length === 0) {
      throw new StartError("console_closed", "STAMPEDE_CONSOLE_GROUPS gives no group a role here");
    }
  }

  async identify(request: HttpRequest): Promise<Identity> {
    if (!isTrustedProxy(request.remoteAddress(), this.#proxies)) {
      throw refuse("not_by_proxy", "the console is reached through its proxy");
    }
    const { consoleUserHeader, consoleGroupsHeader } = this.#settings;
    // If the proxy appends its fields to the caller's, they cannot be told apart.
    for (const name of this.headers) {
      if (request.isRepeated(name)) {
        throw refuse("repeated_header", `${name} came more than once; ${PROXY_REPLACES}`);
      }
    }
    if ((request.header(consoleUserHeader) ?? "").includes(",")) {
      throw refuse("repeated_header", `${consoleUserHeader} names several users; ${PROXY_REPLACES}`);
    }
    const user = (request.header(consoleUserHeader) ?? "").trim().slice(0, USER_LENGTH);
    if (user === "") throw refuse("no_user", `the proxy names no user in ${consoleUserHeader}`);
    const groups = (request.header(consoleGroupsHeader) ?? "").split(",").map((group) => group.trim());
    const grant = highestOf(this.#grants.filter(({ group }) => groups.includes(group)));
    if (grant === undefined) {
      throw new ApiError("authorization_error", `none of ${user}'s groups has a role here`, {
        reason: "no_role",
      });
    }
    return { user, role: grant.role, organisationId: grant.organisationId };
  }
}

function refuse(reason: string, message: string): ApiError {
  return new ApiError("authentication_error", message, { reason });
}

/** The highest role; of several organisations of support, the one that the setting names first. */
function highestOf(grants: readonly Grant[]): Grant | undefined {
  return grants.reduce<Grant | undefined>(
    (best, grant) => (best === undefined || !mayActAs(best.role, grant.role) ? grant : best),
    undefined,
  );
}

/** `group=role` or `group=support:<organisation>`; without a token of the organisation the entry gives nothing. */
function readGrant(entry: string, tokens: Pick<OrganisationTokens, "find">, log: Log): Grant[] {
  const [, group = "", given = "", organisation] = /^([^=]+)=([a-z]+)(?::(.+))?$/.exec(entry) ?? [];
  const role = ROLES.find((known) => known === given) as Role;
  if (organisation === undefined) return [{ group, role, organisationId: undefined }];
  const found = tokens.find(organisation);
  if (found !== undefined) return [{ group, role, organisationId: found.id }];
  log.warn(
    { group, organisation },
    "a group of STAMPEDE_CONSOLE_GROUPS names an organisation for which the console has no token",
  );
  return [];
}

/** The value of a cookie, if it has the form of a session's secret. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(/[;,]/)) {
    const [key = "", value = ""] = pair.trim().split("=");
    if (key === name && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}
