import { migratePlatform } from "#platform-db";
import { migratePublisher } from "#publisher-db";
import type { Databases } from "../find-database.ts";
import type { Terminal } from "../terminal.ts";

/** Brings the databases to the schemas of this version: the publisher's, and the platform's, which may share one. */
export async function migrateDatabases(
  { publisher, platform }: Databases,
  terminal: Terminal,
): Promise<void> {
  const log = (message: string) => terminal.err(message);
  const applied = [
    ...(publisher === undefined ? [] : (await migratePublisher(publisher, log)).applied),
    ...(await migratePlatform(platform, log)).applied,
  ];
  terminal.err(applied.length === 0 ? "the schema is up to date" : `${applied.length} migrations applied`);
}
