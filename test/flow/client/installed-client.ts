import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";

const CHECKOUT = fileURLToPath(new URL("../../../../", import.meta.url));
const MODULES = join(CHECKOUT, "node_modules");

/** The package's dependencies, from this checkout: npm requests nothing from the network. */
const BESIDE = ["undici", "@types/node", "undici-types"];

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder outside the checkout with nothing but the packed client installed in it. */
export interface ClientProject {
  readonly folder: string;
  /** The files of the tarball, by path. */
  readonly packed: readonly string[];
  write(name: string, text: string): void;
  /** Compiles all TypeScript in the folder, as strictly as the compiler can; libraries too. */
  compile(): Promise<Ran>;
}

/** Packs the client with `npm pack`, and installs it with npm, offline and with an empty cache. */
export async function installClient(t: Test): Promise<ClientProject> {
  const folder = mkdtempSync(join(tmpdir(), "stampede-client-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const cache = join(folder, "npm-cache");
  const packed = await npm(
    ["pack", "--json", "--pack-destination", folder],
    join(CHECKOUT, "packages/client"),
    cache,
  );
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (packed.code !== 0 || tarball === undefined) throw new Error(`npm pack failed: ${packed.stderr}`);
  const project = join(folder, "project");
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  await run("mkdir", [project], folder);
  write("package.json", JSON.stringify({ name: "shop", private: true, type: "module" }));
  write("tsconfig.json", JSON.stringify({ compilerOptions: STRICT }));
  const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  const beside = BESIDE.map((name) => join(MODULES, name));
  const installed = await npm(["install", ...flags, join(folder, tarball), ...beside], project, cache);
  if (installed.code !== 0) throw new Error(`npm install failed: ${installed.stderr}`);
  const compiler = join(MODULES, "typescript/bin/tsc");
  return {
    folder: project,
    packed: filesIn(packed.stdout),
    write,
    compile: () => run(process.execPath, [compiler, "-p", project], project),
  };
}

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  target: "es2022",
  module: "nodenext",
  types: ["node"],
};

/** `npm pack --json` prints the output of the prepack script before its own lines. */
function filesIn(stdout: string): string[] {
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [{ files: { path: string }[] }];
  return packed.files.map(({ path }) => path);
}

/** The npm that runs the tests, if they run under npm. */
function npm(args: readonly string[], cwd: string, cache: string): Promise<Ran> {
  const cli = process.env.npm_execpath;
  const [command, before] = cli?.endsWith("js") ? [process.execPath, [cli]] : [cli ?? "npm", []];
  return run(command, [...before, ...args], cwd, { npm_config_cache: cache });
}

/** Runs a program to its end. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, encoding: "utf8" as const };
    const child = execFile(command, args, options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, stdout, stderr });
    });
  });
}
