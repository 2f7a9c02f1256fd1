import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationProblems } from "./migration-rules.ts";

/** The last migration before the rules: none of these ever met a previous version. */
export const BASELINES: Readonly<Record<string, number>> = {
  "packages/publisher-db/migrations": 10,
  "packages/platform-db/migrations": 2,
};

/** Migrations that break the version before them, and do not say so. */
export function checkMigrations(root: string): string[] {
  return Object.entries(BASELINES).flatMap(([directory, baseline]) =>
    readdirSync(join(root, directory))
      .filter((file) => Number(file.slice(0, 4)) > baseline)
      .flatMap((file) => {
        const path = `${directory}/${file}`;
        return migrationProblems(path, readFileSync(join(root, path), "utf8"));
      }),
  );
}
