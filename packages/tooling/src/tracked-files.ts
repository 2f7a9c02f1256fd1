import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Every file that git tracks or would track, by path from the root. The checkout may belong to another user than the one
 * who checks it (root in a container), hence `safe.directory`.
 */
export function trackedPaths(root: string): ReadonlySet<string> {
  const args = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  // git still lists a tracked file that was just deleted.
  return new Set(listed.split("\0").filter((path) => path !== "" && existsSync(join(root, path))));
}

/** The text files among them, with their contents. */
export function* trackedTexts(root: string): Generator<[path: string, text: string]> {
  for (const path of trackedPaths(root)) {
    const text = readText(join(root, path));
    if (text !== undefined) yield [path, text];
  }
}

/** Undefined for a binary file, and for one that is tracked but was just deleted or is a link to a folder. */
function readText(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (["ENOENT", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** In the source folders, as in tsconfig.json. */
const SOURCE = /^(?:packages|services|bench|test|examples)\/.*\.(?:ts|tsx|mts|js|mjs)$/;
const NOT_OURS = /(?:^|\/)(?:generated|node_modules)\//;

/** A source file of the project, by its path from the root, with slashes. */
export type SourceTree = ReadonlyMap<string, string>;

/** All sources under `root`, in the order of their paths, without generated files. */
export function readSourceTree(root: string): SourceTree {
  const paths = [...trackedPaths(root)].filter((path) => SOURCE.test(path) && !NOT_OURS.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** Tests, and what only tests use: `x.test.ts`, `test-x.ts`, and the folder `test`. */
export function isTest(path: string): boolean {
  return path.startsWith("test/") || /(^|\/)(test-[^/]*|[^/]*\.test)\.\w+$/.test(path);
}
