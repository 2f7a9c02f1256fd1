/**
 * Builds the contents of the client's package, as its `prepack`: `packages/client/dist`, with the compiled
 * sources of the client and of its parts of the contract and the domain, and their types. Only files that the
 * package's entries lead to stay, so that it contains nothing of a server, and no type of a library that is
 * not a dependency.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { type PackageManifest, reachableFiles } from "./reachable-files.ts";

const folder = join(ROOT, "packages/client");
const dist = join(folder, "dist");

rmSync(dist, { recursive: true, force: true });
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.package.json")], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (status !== 0) throw new Error("the client does not compile");
// The compiler leaves out the validators, which it did not compile (setup has made them), and their
// declaration.
const validators = "packages/contract/src/validation/validators";
copyFileSync(join(ROOT, "dist", `${validators}.js`), join(dist, `${validators}.js`));
copyFileSync(join(ROOT, `${validators}.d.ts`), join(dist, `${validators}.d.ts`));

const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const reached = reachableFiles(manifest, read);
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name);
  if (!reached.has(file.slice(folder.length + 1))) rmSync(file);
  else if (file.endsWith(".d.ts")) writeFileSync(file, withCompiledNames(readFileSync(file, "utf8")));
}

/**
 * The compiler leaves the names of sources in declarations, and not every tool that reads them understands
 * these.
 */
function withCompiledNames(declarations: string): string {
  return declarations.replaceAll(/((?:from|import\() ?"\.[^"]*)\.ts"/g, '$1.js"');
}
