import { migrate } from "#store";
import type { Terminal } from "../terminal.ts";

/** Brings the database to the schema of this version. */
export async function migrateDatabase(databaseUrl: string, terminal: Terminal): Promise<void> {
  const { applied } = await migrate(databaseUrl, (message) => terminal.err(message));
  terminal.err(applied.length === 0 ? "the schema is up to date" : `${applied.length} migrations applied`);
}
