import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Every file that git tracks or would track, by path from the root. The checkout may belong to another user than the one
 * who checks it (root in a container), hence `safe.directory`.
 */
export function trackedPaths(root: string): ReadonlySet<string> {
  const args = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  // One that is tracked and was just deleted is listed still.
  return new Set(listed.split("\0").filter((path) => path !== "" && existsSync(join(root, path))));
}

/** Likewise the text files, with what is in them. */
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
