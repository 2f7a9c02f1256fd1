/**
 * Builds the contents of the client's package, as its `prepack`: `packages/client/dist`, with the compiled
 * sources of the client and of its parts of the contract and the domain, and their types. Only files that the
 * package's entries lead to get there, so that it contains nothing of a server, and no type of a library that is
 * not a dependency. Each file is replaced at once: another `npm pack` may be reading the folder.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../root.ts";
import { type PackageManifest, reachableFiles } from "./reachable-files.ts";

const folder = join(ROOT, "packages/client");
const scratch = join(ROOT, ".stampede");
mkdirSync(scratch, { recursive: true });
// On the file system of the package's folder: files are moved from here to there.
const made = mkdtempSync(join(scratch, "client-package-"));
try {
  compile(join(made, "dist"));
  replaceFiles();
} finally {
  rmSync(made, { recursive: true });
}

function compile(dist: string): void {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", join(folder, "tsconfig.package.json"), "--outDir", dist];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error("the client does not compile");
  // The compiler leaves out the validators, which it did not compile (setup has made them), and their
  // declaration.
  const validators = "packages/contract/src/validation/validators";
  copyFileSync(join(ROOT, "dist", `${validators}.js`), join(dist, `${validators}.js`));
  copyFileSync(join(ROOT, `${validators}.d.ts`), join(dist, `${validators}.d.ts`));
}

function replaceFiles(): void {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
  const read = (path: string): string => readFileSync(join(made, path), "utf8");
  const reached = reachableFiles(manifest, read);
  for (const path of reached) {
    if (path.endsWith(".d.ts")) writeFileSync(join(made, path), withCompiledNames(read(path)));
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    renameSync(join(made, path), join(folder, path));
  }
  for (const entry of readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(file.slice(folder.length + 1))) rmSync(file, { force: true });
  }
}

/**
 * The compiler leaves the names of sources in declarations, and not every tool that reads them understands
 * these.
 */
function withCompiledNames(declarations: string): string {
  return declarations.replaceAll(/((?:from|import\() ?"\.[^"]*)\.ts"/g, '$1.js"');
}
