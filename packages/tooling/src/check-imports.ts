import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entries, importProblems } from "./import-rules.ts";
import { readSourceTree } from "./tracked-files.ts";

/** The import rules over the checkout at `root`. */
export function checkImports(root: string): string[] {
  return importProblems(readSourceTree(root), readEntries(root));
}

/** What the `#` names stand for, as package.json says it. */
export function readEntries(root: string): Entries {
  const { imports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    imports: Record<string, { types: string }>;
  };
  return Object.fromEntries(
    Object.entries(imports).map(([name, { types }]) => [name, types.replace(/^\.\//, "")]),
  );
}
