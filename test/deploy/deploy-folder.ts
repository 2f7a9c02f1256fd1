import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const DEPLOY = join(ROOT, "deploy");

/** The services, as `stampede <service>` and the deployments call them. */
export const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"] as const;

/** Services that open webhook secrets, and do not start without the keys. */
export const NEED_ENCRYPTION_KEYS: readonly string[] = ["edge", "webhooks"];

export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

/** A file below `deploy/`. */
export function readDeployed(path: string): string {
  return readFileSync(join(DEPLOY, path), "utf8");
}

/** The variables of a file of lines such as `KEY=value`. */
export function parseEnvironment(text: string): Record<string, string> {
  const lines = text.matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

/** All files below a folder of `deploy/`, by their path from there. */
export function deployedFiles(folder: string): string[] {
  return readdirSync(join(DEPLOY, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
    .sort();
}
