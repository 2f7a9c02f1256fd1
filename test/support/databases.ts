import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { migratePlatform } from "#platform-db";
import { migratePublisher } from "#publisher-db";

/** All names of test databases begin so; whatever truncates or drops asks for it first. */
const PREFIX = "stampede_test_";

/** The URL of the same server with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Makes a database with the current schemas, the publisher's and the platform's, and returns its name: to be cloned. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const name = `${PREFIX}template_${randomBytes(4).toString("hex")}`;
  await execute(serverUrl, `create database ${name}`);
  await migratePublisher(withDatabase(serverUrl, name));
  await migratePlatform(withDatabase(serverUrl, name));
  return name;
}

/** A database of its own, a clone of `template` or empty without it. Cloning takes some 50 ms. */
export async function createDatabase(serverUrl: string, template?: string): Promise<string> {
  const name = `${PREFIX}${process.pid}_${randomBytes(4).toString("hex")}`;
  await execute(serverUrl, `create database ${name}${template === undefined ? "" : ` template ${template}`}`);
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
