/* Writes the schema dumps from the migrations, with a PostgreSQL of its own; `npm run check` compares. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentSchemas } from "./current-schema.ts";
import { ROOT } from "./root.ts";

for (const { file, text } of await currentSchemas()) writeFileSync(join(ROOT, file), text);
