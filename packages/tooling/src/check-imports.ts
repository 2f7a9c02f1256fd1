import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entries, importProblems } from "./import-rules.ts";
import { readSourceTree } from "./tracked-files.ts";

/** The import rules over the checkout at `root`, whose package.json says what the `#` names stand for. */
export function checkImports(root: string): string[] {
  const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    imports: Record<string, { types: string }>;
  };
  const entries: Entries = Object.fromEntries(
    Object.entries(imports).map(([name, { types }]) => [name, types.replace(/^\.\//, "")]),
  );
  return importProblems(readSourceTree(root), entries);
}
