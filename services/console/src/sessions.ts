import { randomBytes } from "node:crypto";
import { LIMITS } from "#contract";
import { hashTokenSecret } from "#domain";
import type { Sql } from "#postgres";
import type { Identity, Role } from "./roles.ts";

interface IdentityRow {
  readonly user: string;
  readonly role: Role;
  readonly organisationId: string | null;
}

/**
 * Uses a link up, and opens a session for its user, in one statement: of two requests with one link one gets a session, and a
 * crash leaves both or neither.
 * @returns the session's secret; undefined if the link is unknown, used or expired
 */
export async function openSession(sql: Sql, link: string): Promise<string | undefined> {
  const secret = randomBytes(32).toString("base64url");
  const opened = await sql`
    with used as (
      update console_links set used_at = now()
      where secret_hash = ${hashTokenSecret(link)} and used_at is null and expires_at > now()
      returning user_name, role, organisation_id
    )
    insert into console_sessions (secret_hash, user_name, role, organisation_id, expires_at)
    select ${hashTokenSecret(secret)}::bytea, user_name, role, organisation_id,
           now() + ${LIMITS.consoleSessionMs} * interval '1 millisecond'
    from used
    returning user_name`;
  return opened.length === 0 ? undefined : secret;
}

/** The user of a session; undefined if it is unknown or has expired. */
export async function findSession(sql: Sql, secret: string): Promise<Identity | undefined> {
  const [row] = await sql<IdentityRow[]>`
    select user_name as "user", role, organisation_id as "organisationId"
    from console_sessions
    where secret_hash = ${hashTokenSecret(secret)} and expires_at > now()`;
  return row && { user: row.user, role: row.role, organisationId: row.organisationId ?? undefined };
}

/** Ends a session at once. */
export async function closeSession(sql: Sql, secret: string): Promise<void> {
  await sql`delete from console_sessions where secret_hash = ${hashTokenSecret(secret)}`;
}

/** Removes expired links and sessions. */
export async function sweepSessions(sql: Sql): Promise<void> {
  await sql`delete from console_links where expires_at < now()`;
  await sql`delete from console_sessions where expires_at < now()`;
}
