/* Writes the tables of routes into the prose references from the route tables; `npm run check` compares them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_REFERENCES, withRoutes } from "./api-reference.ts";
import { ROOT } from "./root.ts";

for (const { file, api } of API_REFERENCES) {
  const path = join(ROOT, file);
  writeFileSync(path, withRoutes(readFileSync(path, "utf8"), api));
}
