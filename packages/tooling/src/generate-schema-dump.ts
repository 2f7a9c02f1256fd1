/* Writes packages/store/schema.txt from the migrations, with a PostgreSQL of its own; `npm run check` compares. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentSchema, SCHEMA_DUMP_FILE } from "./current-schema.ts";
import { ROOT } from "./root.ts";

writeFileSync(join(ROOT, SCHEMA_DUMP_FILE), await currentSchema());
