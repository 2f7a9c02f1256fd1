import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folders that hold source, as in tsconfig.json. */
const FOLDERS = ["packages", "services", "bench", "test"];

/** A source file of the project, by its path from the root, with slashes. */
export type SourceTree = ReadonlyMap<string, string>;

/** All sources under `root`, in the order of their paths; what is generated is not looked at. */
export function readSourceTree(root: string): SourceTree {
  const paths = FOLDERS.flatMap((folder) => filesUnder(root, folder)).sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function filesUnder(root: string, folder: string): string[] {
  let entries: ReturnType<typeof readEntries>;
  try {
    entries = readEntries(join(root, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesUnder(root, path);
    return /\.(ts|mts|js|mjs)$/.test(entry.name) ? [path] : [];
  });
}

const SKIPPED = new Set(["generated", "node_modules"]);
const readEntries = (path: string) => readdirSync(path, { withFileTypes: true });

/** Tests, and what only tests use: `x.test.ts`, `test-x.ts`, and the folder `test`. */
export function isTest(path: string): boolean {
  return path.startsWith("test/") || /(^|\/)(test-[^/]*|[^/]*\.test)\.\w+$/.test(path);
}
