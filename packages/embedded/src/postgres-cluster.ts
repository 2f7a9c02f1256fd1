import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { StartError } from "#runtime";
import { MAKE_ROOM, secretIn, syncToDisk } from "./data-dir.ts";
import { guard } from "./guardian.ts";
import { identityOf, POSTGRES_MAJOR, type PostgresUser } from "./postgres-programs.ts";

export const POSTGRES_USER = "stampede";
export const POSTGRES_DATABASE = "stampede";

/**
 * The directory `<dataDir>/cluster`: the data, and the password that opens it. It appears complete or not at
 * all.
 */
export function clusterPaths(dataDir: string): { cluster: string; data: string; password: string } {
  const cluster = join(dataDir, "cluster");
  return { cluster, data: join(cluster, "data"), password: join(cluster, "password") };
}

/**
 * Makes the cluster if there is none. It is made under another name, and renamed when it is complete and on
 * disk: so an interrupted start leaves nothing that looks like a cluster; the next start clears it away and
 * begins again.
 */
export async function ensureCluster(
  dataDir: string,
  user: PostgresUser,
  log: (message: string) => void,
): Promise<void> {
  const { cluster, data } = clusterPaths(dataDir);
  if (existsSync(data)) {
    assertVersion(data);
    giveCopy(data, user);
    return;
  }
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith("cluster.new")) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  log("PostgreSQL: making a new database");
  const fresh = join(dataDir, "cluster.new");
  const freshData = join(fresh, "data");
  mkdirSync(freshData, { recursive: true, mode: 0o711 });
  give(freshData, user);
  const password = secretIn(join(fresh, "password"));
  await initialise(freshData, join(fresh, "initial-password"), password, user);
  await run(user, "initdb", ["-D", freshData, "--sync-only"]);
  syncToDisk(join(fresh, "password"));
  syncToDisk(fresh);
  renameSync(fresh, cluster);
  syncToDisk(dataDir);
}

/**
 * `--no-sync` because `initdb --sync-only` syncs the whole directory once, after the last write. The built-in
 * locale sorts by code point: the same on every platform and after every upgrade of the C library.
 */
async function initialise(
  data: string,
  passwordFile: string,
  password: string,
  user: PostgresUser,
): Promise<void> {
  writeFileSync(passwordFile, password, { mode: 0o600 });
  give(passwordFile, user);
  const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8"];
  const access = ["--auth=scram-sha-256", `--username=${POSTGRES_USER}`, `--pwfile=${passwordFile}`];
  await run(user, "initdb", ["-D", data, ...locale, ...access, "--no-sync", "--no-instructions"]);
  // Single-user mode needs no port, no password and no client.
  const single = ["--single", "-D", data, "-c", "fsync=off", "-c", "unix_socket_directories=", "postgres"];
  await run(user, "postgres", single, `create database ${POSTGRES_DATABASE}\n`);
  rmSync(passwordFile);
}

function assertVersion(data: string): void {
  let major: string;
  try {
    major = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") {
      const doThis = "start as the user who made it, or set STAMPEDE_DATA_DIR to another directory";
      throw new StartError("data_dir_not_writable", `${data} belongs to another user: ${doThis}`, {
        cause: error,
      });
    }
    const doThis = "restore it from a backup, or move it away to begin with an empty database";
    throw new StartError("data_dir_other_version", `${data} is not a PostgreSQL data directory: ${doThis}`);
  }
  if (major === POSTGRES_MAJOR) return;
  throw new StartError(
    "data_dir_other_version",
    `${data} was made by PostgreSQL ${major} and this is ${POSTGRES_MAJOR}: dump it with ${major} and load it here, ` +
      "or set STAMPEDE_DATA_DIR to another directory",
  );
}

/**
 * The environment of PostgreSQL's programs. Nothing is inherited but PATH, because PGPORT, PGDATA or
 * LD_LIBRARY_PATH would change them.
 */
export const POSTGRES_ENV: NodeJS.ProcessEnv = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };

async function run(user: PostgresUser, program: string, args: readonly string[], input = ""): Promise<void> {
  const [command = "", ...rest] = [...user.prefix, join(user.native, "bin", program), ...args];
  const child = spawn(command, rest, {
    cwd: "/",
    env: POSTGRES_ENV,
    detached: true,
    stdio: "pipe",
    ...identityOf(user),
  });
  const release = child.pid === undefined ? () => {} : guard("postgres", child.pid);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  child.stdin.on("error", () => {}); // it ended before it read; its exit code says why
  child.stdin.end(input);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    // Single-user mode exits with 0 even if its statements failed.
    if (code === 0 && !/\b(ERROR|FATAL|PANIC): /.test(output)) return;
  } catch (error) {
    output = (error as Error).message;
  } finally {
    release();
  }
  throw new StartError("server_failed", `PostgreSQL's ${program} failed: ${reasonIn(output)}`);
}

/** The reason of a failure in the output of PostgreSQL's program, without the lines before and after it. */
export function reasonIn(output: string): string {
  const lines = output.trim().split("\n");
  const faults = lines.flatMap((line) => /\b(?:(?:ERROR|FATAL|PANIC): |error: ).*/.exec(line)?.[0] ?? []);
  const reason = (faults.length > 0 ? faults : lines).slice(-3).join(" | ");
  if (!/No space left on device/.test(reason)) return reason;
  return `${reason}: ${MAKE_ROOM}`;
}

/**
 * A copy that root made with `cp -r` belongs to root, for whom PostgreSQL does not run. The directory itself is given last: until
 * then a start that was cut short does all of it again.
 */
function giveCopy(data: string, { owner }: PostgresUser): void {
  if (owner === undefined || statSync(data).uid === owner.uid) return;
  // With their types, because only then a link to a directory is not followed.
  const entries = readdirSync(data, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of entries) lchownSync(join(parentPath, name), owner.uid, owner.gid);
  chownSync(data, owner.uid, owner.gid);
}

function give(path: string, user: PostgresUser): void {
  if (user.owner) chownSync(path, user.owner.uid, user.owner.gid);
}
