import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { migratePlatform } from "#platform-db";
import { migratePublisher } from "#publisher-db";

/** The beginning of every test database's name. Code that truncates or drops checks for it first. */
const PREFIX = "stampede_test_";

/** The URL of the same server with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Makes a database as a template, with the current schemas of publisher and platform, and returns its name. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const name = `${PREFIX}template_${randomBytes(4).toString("hex")}`;
  await execute(serverUrl, `create database ${name}`);
  await migratePublisher(withDatabase(serverUrl, name));
  await migratePlatform(withDatabase(serverUrl, name));
  return name;
}

/**
 * Makes a database: a clone of `template`, or empty without one. A copy of files takes half the CPU time of
 * one through the log.
 */
export async function createDatabase(serverUrl: string, template?: string): Promise<string> {
  const name = `${PREFIX}${process.pid}_${randomBytes(4).toString("hex")}`;
  const as = template === undefined ? "" : ` template ${template} strategy file_copy`;
  await execute(serverUrl, `create database ${name}${as}`);
  return withDatabase(serverUrl, name);
}

async function execute(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
