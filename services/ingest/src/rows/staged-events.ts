import type { Fragment, Sql } from "#postgres";

/** In the order in which `encodeCopyRows` writes them. */
const STAGED_COLUMNS = `
  ord int, id uuid, organisation_id uuid, member_id uuid, external_id text, state text, network text,
  merchant_id text, statement_descriptor text, amount bigint, currency text, authed_at timestamptz,
  cleared_at timestamptz, reverted_at timestamptz, identifier_6 bytea, identifier_8 bytea`;

/**
 * Copies rows into the session's own temporary table, where `stagedTable` finds them. It is
 * emptied when the transaction ends: `on commit delete rows` cuts the file, where a `truncate` would leave a dead row in
 * the catalog each time.
 * @param sql a transaction
 */
export async function stageEvents(sql: Sql, bytes: Uint8Array): Promise<void> {
  await sql.script(`
    set local client_min_messages = warning;
    create temp table if not exists staged_events (${STAGED_COLUMNS}) on commit delete rows`);
  await sql.copyIn("copy pg_temp.staged_events from stdin (format binary)", bytes);
}

/** What was staged in this transaction, as a table `i` with the columns of `EventRow`. */
export function stagedTable(sql: Sql): Fragment {
  return sql`pg_temp.staged_events i`;
}
