import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationProblems } from "./migration-rules.ts";

const DIRECTORIES = ["packages/publisher-db/migrations", "packages/platform-db/migrations"] as const;

/** Migrations that break the version before them, and do not say so. */
export function checkMigrations(root: string): string[] {
  return DIRECTORIES.flatMap((directory) =>
    readdirSync(join(root, directory)).flatMap((file) => {
      const path = `${directory}/${file}`;
      return migrationProblems(path, readFileSync(join(root, path), "utf8"));
    }),
  );
}
