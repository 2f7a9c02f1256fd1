import { randomBytes } from "node:crypto";
import { LIMITS } from "#contract";
import { hashTokenSecret } from "#domain";
import type { Sql } from "#postgres";

/** Roles of the console's users, from the least to the most (services/console/src/roles.ts says what each may do). */
export type ConsoleRole = "support" | "operator" | "administrator";

/** Whom a link lets into the console. */
export interface ConsoleGuest {
  /** For the audit. */
  readonly user: string;
  readonly role: ConsoleRole;
  /** UUID of the organisation that support reads; the other roles have none. */
  readonly organisationId?: string | undefined;
}

/**
 * Makes a link that lets one browser into the console, once, and expires.
 * @param consoleUrl with a slash at its end
 * @returns the link. Its secret stands in the fragment, which a browser sends to nobody; the database has a hash of it
 */
export async function makeConsoleLink(sql: Sql, consoleUrl: string, guest: ConsoleGuest): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  await sql`
    insert into console_links (secret_hash, user_name, role, organisation_id, expires_at)
    values (${hashTokenSecret(secret)}, ${guest.user}, ${guest.role}, ${guest.organisationId},
            now() + ${LIMITS.consoleLinkMs} * interval '1 millisecond')`;
  return `${consoleUrl}#link=${secret}`;
}
