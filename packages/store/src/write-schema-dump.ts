/*
 * Writes packages/store/schema.txt again after a new migration:
 *   DATABASE_URL=postgres://… node dist/packages/store/src/write-schema-dump.js
 * The database is one to throw away; it is migrated first.
 */
import { writeFile } from "node:fs/promises";
import { closeStore, connectStore } from "./connect.ts";
import { migrate } from "./migrate.ts";
import { dumpSchema } from "./schema-dump.ts";
import { SCHEMA_FILE } from "./schema-file.ts";

const url = process.env.DATABASE_URL;
if (url === undefined) throw new Error("DATABASE_URL is not set");
await migrate(url);
const store = connectStore({ url, max: 1, applicationName: "stampede-schema-dump" });
try {
  await writeFile(SCHEMA_FILE, await dumpSchema(store));
} finally {
  await closeStore(store);
}
