import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordProcess, startPostgres } from "#embedded";
import { closeStore, connectStore, dumpSchema, migrate } from "#store";

/** The committed dump, from the root of the checkout. */
export const SCHEMA_DUMP_FILE = "packages/store/schema.txt";

/** The schema that the migrations make, as text, from a PostgreSQL that lives only for this (some seconds). */
export async function currentSchema(): Promise<string> {
  // Named and recorded as the tests' own, whose next run removes what a killed process left.
  const dir = mkdtempSync(join(tmpdir(), "stampede-test-schema-"));
  recordProcess(join(dir, "owner.json"), process.pid);
  // Not 0700 as mkdtemp makes it: as root, PostgreSQL runs as another user who must get through.
  chmodSync(dir, 0o711);
  try {
    const server = await startPostgres({
      dataDir: join(dir, "postgres"),
      log: () => {},
      settings: { fsync: "off" },
    });
    try {
      return await migrateAndDump(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function migrateAndDump(url: string): Promise<string> {
  await migrate(url);
  const store = connectStore({ url, max: 1, applicationName: "stampede-schema" });
  try {
    return await dumpSchema(store);
  } finally {
    await closeStore(store);
  }
}
