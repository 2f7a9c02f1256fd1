import type { Command } from "commander";
import { ensureTopology, topologyOf } from "#nats";
import { migratePlatform } from "#platform-db";
import { migratePublisher } from "#publisher-db";
import { readSettings, type Settings } from "#runtime";
import { type Databases, findDatabases, withStream } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addMigrateCommand(program: Command, { terminal, env }: CommandContext): void {
  program
    .command("migrate")
    .description(
      "bring the databases (DATABASE_URL and STAMPEDE_PLATFORM_DATABASE_URL, or the running instance's) and the streams of NATS_URL to this version",
    )
    .action(async () => {
      const settings = readSettings(env);
      await migrateDatabases(findDatabases(settings), terminal);
      await migrateStreams(settings, terminal);
    });
}

/** Brings the publisher's and the platform's schemas to this version; they may share one database. */
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

/**
 * Makes the streams of NATS_URL, or brings them to these settings, for services whose NATS users may not. Without NATS_URL it
 * does nothing: services with all rights make their own.
 */
async function migrateStreams(settings: Settings, terminal: Terminal): Promise<void> {
  if (settings.natsUrl === undefined) return;
  await withStream(settings, (stream) => ensureTopology(stream, topologyOf(settings)));
  terminal.err("the streams are there");
}
