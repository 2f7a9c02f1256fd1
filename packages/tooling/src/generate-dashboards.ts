/* Writes the Grafana dashboards from their descriptions and the runbooks; `npm run check` compares them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { currentDashboards } from "./dashboards/dashboards.ts";
import { ROOT } from "./root.ts";

for (const { file, text } of currentDashboards(ROOT)) {
  const path = join(ROOT, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
