import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordProcess, startPostgres } from "#embedded";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore, dumpSchema } from "#postgres";
import { migratePublisher } from "#publisher-db";

/** The committed dumps, from the root of the checkout. */
const SCHEMA_DUMPS = [
  { file: "packages/publisher-db/schema.txt", schema: "public" },
  { file: "packages/platform-db/schema.txt", schema: "platform" },
] as const;

/** The right contents of `SCHEMA_DUMPS`, from a PostgreSQL that is started for this alone (some seconds). */
export async function currentSchemas(): Promise<ReadonlyArray<{ file: string; text: string }>> {
  // Named and recorded like the tests' servers: their next run removes the remains of a killed process.
  const dir = mkdtempSync(join(tmpdir(), "stampede-test-schema-"));
  recordProcess(join(dir, "owner.json"), process.pid);
  // Not 0700 as mkdtemp makes it: if root runs this, PostgreSQL runs as another user, who must be able to
  // enter.
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

async function migrateAndDump(url: string) {
  await migratePublisher(url);
  await migratePlatform(url);
  const store = connectStore({ url, max: 1, applicationName: "stampede-schema" });
  try {
    const dumps: Array<{ file: string; text: string }> = [];
    for (const { file, schema } of SCHEMA_DUMPS) dumps.push({ file, text: await dumpSchema(store, schema) });
    return dumps;
  } finally {
    await closeStore(store);
  }
}
