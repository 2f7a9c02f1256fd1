import { StartError } from "#runtime";
import type { Sql } from "./connect.ts";

/** SQLSTATEs of faults that do not pass by themselves: the operator has to change something. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  "28000": "PostgreSQL does not let this user in",
  "28P01": "PostgreSQL does not let this user in",
  "3D000": "PostgreSQL has no such database",
  "42501": "PostgreSQL does not let this user into the database",
};

/**
 * Asks the database once, so that a wrong password or certificate is one line at the start. Does not care
 * about a server that is away, because it may be back at once.
 * @throws StartError
 */
export async function assertLetIn(sql: Sql): Promise<void> {
  try {
    await sql`select current_setting('server_version')`;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("TLS_")) throw new StartError("database_tls", message, { cause: error });
    const what = EXPLANATIONS[code];
    if (what === undefined) return;
    const why = `${what} (${message}): check DATABASE_URL, and that deploy/postgres/roles.sql was run`;
    throw new StartError("database_login", why, { cause: error });
  }
}
