/**
 * Makes a checkout runnable: the right Node, the dependencies of package-lock.json, a build of the present sources. Runs
 * before anything is installed, so it uses nothing but Node itself, and syntax that an old Node can still read. Takes
 * some 50 ms when there is nothing to do, and needs the network only to install.
 *
 *   node packages/tooling/setup.mjs [checkout]
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", ".."));
const dist = join(root, "dist");
/** The projects to compile, in this order: the code for Node, and the console's page, which runs in browsers. */
const projects = [".", join("services", "console", "page")].filter((directory) =>
  existsSync(join(root, directory, "tsconfig.json")),
);
/** The last step of a build writes the validators, for which the sources have only a declaration. */
const compileValidators = join(root, "packages", "contract", "src", "compile-validators", "main.ts");
const validators = join(root, "packages", "contract", "src", "validation", "validators.ts");
/** A record of the sources from which the build in `dist` was made. */
const stampFile = join(dist, ".sources");
const say = (message) => process.stdout.write(`setup: ${message}\n`);

const startedBy = parentOf(process.ppid);
checkNode();
install();
build();
// npm was killed meanwhile: a program that its shell starts next would run unseen, and no Ctrl-C would reach it.
if (process.env.npm_lifecycle_event !== undefined && parentOf(process.ppid) !== startedBy) {
  fail("npm has ended, so nothing is started");
}

function checkNode() {
  const wanted = readJson("package.json").engines.node.replace(/^>=/, "");
  if (compareVersions(process.versions.node, wanted) >= 0) return;
  fail(`Node ${wanted} or later is needed and this is ${process.versions.node}: install a current one`);
}

function install() {
  const reason = reasonToInstall();
  if (reason === undefined) return;
  // A build needs the compiler, whatever NODE_ENV or the npm configuration leave out.
  const flags = ["--no-audit", "--no-fund", "--loglevel=error", ...(hasBuild() ? [] : ["--include=dev"])];
  say(`installing the dependencies, since ${reason} (npm ci; this takes a minute)`);
  // The npm that runs this script, if it runs under npm: there may be none on the PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = /\.c?js$/.test(npm ?? "") ? [process.execPath, [npm]] : [npm ?? "npm", []];
  const proxy = "behind a proxy with a certificate of its own set NODE_EXTRA_CA_CERTS";
  run(command, [...args, "ci", ...flags], `npm ci failed: check the network (${proxy}), then run this again`);
}

/**
 * npm writes `node_modules/.package-lock.json` when an installation is complete. It lists the installed packages:
 * without those for other platforms, and without the development ones if they were left out.
 */
function reasonToInstall() {
  if (!existsSync(join(root, "node_modules"))) return "there are none yet";
  const installed = readJson(join("node_modules", ".package-lock.json"))?.packages;
  if (installed === undefined) return "an earlier installation was interrupted";
  const locked = readJson("package-lock.json").packages;
  const withoutDev = !existsSync(join(root, "node_modules", "typescript")) && hasBuild();
  const mayBeMissing = ({ optional, dev, devOptional }) => optional || ((dev || devOptional) && withoutDev);
  for (const [path, entry] of Object.entries(locked)) {
    if (path === "") continue;
    const found = installed[path];
    if (found === undefined ? !mayBeMissing(entry) : isOther(entry, found)) {
      return `package-lock.json has another ${path.replace(/^.*node_modules\//, "")}`;
    }
  }
  return undefined;
}

function isOther(locked, found) {
  if (locked.version !== found.version) return true;
  return Boolean(locked.integrity && found.integrity && locked.integrity !== found.integrity);
}

function build() {
  const sources = findSources();
  if (sources.length === 0) return; // a package without sources: its dist came with it
  const stamp = stampOf(sources);
  const outputs = outputsOf(sources);
  const missing = outputs.filter((output) => !existsSync(output));
  if (missing.length === 0 && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  if (!existsSync(compiler)) {
    if (hasBuild()) return; // installed without development dependencies: dist is as it was shipped
    fail("there is no build and no compiler to make one: run `npm ci --include=dev`");
  }
  say("compiling");
  rmSync(stampFile, { force: true });
  // If its own record says that nothing has changed, the compiler would not write missing files again.
  if (missing.length > 0) {
    for (const record of [".tsbuildinfo", ".tsbuildinfo-page"]) rmSync(join(dist, record), { force: true });
  }
  for (const project of projects) {
    const args = [compiler, "-p", join(root, project)];
    run(process.execPath, args, "the sources do not compile: mend what is named above");
  }
  if (sources.includes(compileValidators)) {
    const advice = "the schemas do not compile: mend what is named above";
    run(process.execPath, [outputOf(compileValidators)], advice);
  }
  removeOrphans(outputs);
  // npm sets the bit once, when it first links the command of this folder. Without it `npx` cannot run a build that was made later.
  for (const command of Object.values(readJson("package.json").bin ?? {}))
    chmodSync(join(root, command), 0o755);
  writeFileSync(stampFile, stamp);
}

/** All TypeScript below the directories that tsconfig.json includes, relative to the checkout. */
function findSources() {
  const { include } = readJson("tsconfig.json") ?? { include: [] };
  return include.flatMap((directory) =>
    filesUnder(join(root, directory)).filter((file) => /\.tsx?$/.test(file)),
  );
}

/** Compares contents, not times: a checkout of another commit sets times arbitrarily. 300 files take some 20 ms. */
function stampOf(sources) {
  const hash = createHash("sha256");
  for (const file of [...sources, ...projects.map((project) => join(root, project, "tsconfig.json"))]) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  const locked = readJson("package-lock.json")?.packages;
  for (const name of ["typescript", "ajv"]) hash.update(`${locked?.[`node_modules/${name}`]?.version}\0`);
  return hash.digest("hex");
}

/** Removes the outputs of sources that are gone: a test among them would still run. */
function removeOrphans(outputs) {
  const kept = new Set(outputs.flatMap((output) => [output, `${output}.map`]));
  for (const file of filesUnder(dist)) {
    if (/\.js(\.map)?$/.test(file) && !kept.has(file)) rmSync(file);
  }
}

/** The compiler reads declarations, and writes nothing for them. */
function outputsOf(sources) {
  const made = sources.filter((source) => !source.endsWith(".d.ts"));
  return [...made, ...(made.includes(compileValidators) ? [validators] : [])].map(outputOf);
}

function outputOf(source) {
  return join(dist, relative(root, source).replace(/\.tsx?$/, ".js"));
}

function hasBuild() {
  return existsSync(join(dist, "services", "standalone", "src", "main.js"));
}

function filesUnder(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}${sep}${entry.name}`;
    // The client's package is built beside its sources.
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : filesUnder(path);
    return [path];
  });
}

function run(command, args, advice) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) fail(error ? `${command} could not be run (${error.code}); ${advice}` : advice);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return undefined;
  }
}

/** The parent of a process, such as npm above the shell that runs us; Linux only. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
  } catch {
    return undefined;
  }
}

/** Negative, zero or positive, like every comparison. */
function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  const at = [0, 1, 2].find((index) => left[index] !== right[index]);
  return at === undefined ? 0 : left[at] - right[at];
}

function fail(message) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(1);
}
