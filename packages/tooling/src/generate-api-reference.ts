/* Writes the table of routes into docs/api.md from the route table; `npm run check` compares the two. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_REFERENCE_FILE, withRoutes } from "./api-reference.ts";
import { ROOT } from "./root.ts";

const file = join(ROOT, API_REFERENCE_FILE);
writeFileSync(file, withRoutes(readFileSync(file, "utf8")));
