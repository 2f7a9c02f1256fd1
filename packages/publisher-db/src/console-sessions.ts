import { randomBytes } from "node:crypto";
import { LIMITS } from "#contract";
import { encodeId, hashTokenSecret } from "#domain";
import type { Sql, Store } from "#postgres";

/** A way into the console that is open now: a session, or a link that is not used yet. */
interface ConsoleEntrance {
  /** The beginning of its secret's hash: it opens nothing. */
  readonly id: string;
  readonly kind: "session" | "link";
  readonly user: string;
  readonly role: ConsoleRole;
  /** `org_…` of the organisation that support reads. */
  readonly organisation: string | null;
  readonly expires_at: string;
}

interface Row extends Omit<ConsoleEntrance, "organisation" | "expires_at"> {
  readonly organisation: string | null;
  readonly expiresAt: Date;
}

/**
 * Sessions and unused links that count now, by user, at most `LIMITS.consoleEntrancesListed`.
 * @param user only those of this user; undefined: of all users
 */
export async function listConsoleEntrances(sql: Sql, user?: string): Promise<ConsoleEntrance[]> {
  const rows = await sql<Row[]>`
    select id, kind, "user", role, organisation, "expiresAt" from (
      select left(encode(secret_hash, 'hex'), 16) as id, 'session' as kind, user_name as "user", role,
        organisation_id as organisation, expires_at as "expiresAt"
      from console_sessions
      where expires_at > now()
      union all
      select left(encode(secret_hash, 'hex'), 16), 'link', user_name, role, organisation_id, expires_at
      from console_links
      where expires_at > now() and used_at is null
    ) entrances
    where ${user ?? null}::text is null or "user" = ${user ?? null}
    order by "user", kind desc, "expiresAt" desc, id
    limit ${LIMITS.consoleEntrancesListed}`;
  return rows.map(({ organisation, expiresAt, ...row }) => ({
    ...row,
    organisation: organisation === null ? null : encodeId("org", organisation),
    expires_at: expiresAt.toISOString(),
  }));
}

/** The sessions and links to end: those that fit all given fields; without fields, all. */
interface EndedEntrances {
  readonly id?: string | undefined;
  readonly user?: string | undefined;
}

/**
 * Ends sessions and unused links for the very next request, because every request looks its session up.
 *
 * Links first, in their own statement. A link that is being used holds its row's lock until its session is stored: this statement
 * waits for it (one statement of the console) and finds it used; the second statement sees the session and ends it. In the other
 * order that session would be missed.
 * @returns how many ended
 */
export async function endConsoleEntrances(
  store: Store,
  { id = "", user }: EndedEntrances,
): Promise<{ readonly sessions: number; readonly links: number }> {
  const of = user ?? null;
  return store.begin("isolation level read committed", async (sql) => {
    const links = await sql`
      delete from console_links
      where used_at is null and starts_with(encode(secret_hash, 'hex'), ${id})
        and (${of}::text is null or user_name = ${of})
      returning 1`;
    const sessions = await sql`
      delete from console_sessions
      where starts_with(encode(secret_hash, 'hex'), ${id}) and (${of}::text is null or user_name = ${of})
      returning 1`;
    return { sessions: sessions.length, links: links.length };
  });
}

/** Roles of the console's users, from the least to the most; services/console/src/roles.ts has their rights. */
export type ConsoleRole = "support" | "operator" | "administrator";

/** The user that a link lets into the console. */
interface ConsoleGuest {
  /** For the audit. */
  readonly user: string;
  readonly role: ConsoleRole;
  /** UUID of the organisation that support reads; the other roles have none. */
  readonly organisationId?: string | undefined;
}

/**
 * Makes a link that lets one browser into the console, once, and expires.
 * @param consoleUrl with a slash at its end
 * @returns the link. Its secret is in the fragment, which browsers do not send; the database has its hash
 */
export async function makeConsoleLink(sql: Sql, consoleUrl: string, guest: ConsoleGuest): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  await sql`
    insert into console_links (secret_hash, user_name, role, organisation_id, expires_at)
    values (${hashTokenSecret(secret)}, ${guest.user}, ${guest.role}, ${guest.organisationId},
            now() + ${LIMITS.consoleLinkMs} * interval '1 millisecond')`;
  return `${consoleUrl}#link=${secret}`;
}
