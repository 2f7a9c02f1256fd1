import type { Settings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { findRunningInstance } from "./running-instance.ts";

/** The database that a command works on: DATABASE_URL, else that of the running instance. */
export function findDatabase(settings: Pick<Settings, "databaseUrl" | "dataDir">): string {
  const url = settings.databaseUrl ?? findRunningInstance(settings.dataDir)?.databaseUrl;
  if (url !== undefined) return url;
  throw new CommandError(
    `no database: set DATABASE_URL, or start Stampede with \`npm start\` (none runs on ${settings.dataDir})`,
  );
}
