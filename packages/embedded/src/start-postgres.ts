import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "#runtime";
import { ENDINGS, endProcess, hasEnded, send } from "./end-process.ts";
import { freePort } from "./free-port.ts";
import { findPostgres } from "./postgres-binaries.ts";
import {
  clusterPaths,
  ensureCluster,
  POSTGRES_DATABASE,
  POSTGRES_ENV,
  POSTGRES_USER,
} from "./postgres-cluster.ts";
import { postgresConfig } from "./postgres-config.ts";
import { askPostgres } from "./postgres-ready.ts";
import { choosePostgresUser, type PostgresUser } from "./postgres-user.ts";
import { processesIn } from "./process-identity.ts";
import { readRecordedProcess } from "./process-record.ts";
import { type RunningServer, spawnServer, waitUntilReady } from "./running-server.ts";
import { writableDir } from "./writable-dir.ts";

export interface PostgresOptions {
  /** Made if missing. The caller owns it (`lockDataDir`): a server still running on it is a leftover and is ended. */
  readonly dataDir: string;
  /** Of 127.0.0.1. Without it a free one is taken. */
  readonly port?: number | undefined;
  readonly log: (message: string) => void;
  readonly logFile?: string | undefined;
  /** More postgresql.conf settings; they win over ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Calls the start off. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunningPostgres extends RunningServer {
  readonly port: number;
  readonly version: string;
  /** Of the database `stampede`, with its password. */
  readonly url: string;
}

const READY_MS = 30_000;
/** A server that says "starting up" replays its log after a crash: at 2 GB of it, a minute or so on a slow disk. */
const RECOVERY_MS = 300_000;
const TELL_AFTER_MS = 1_000;
const PORT_ATTEMPTS = 5;
const ORPHAN_GRACE_MS = 5_000;

/**
 * Starts PostgreSQL 18 on loopback and returns when it takes connections. Throws a `StartError` that says what to do,
 * and leaves no process behind then.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const binaries = findPostgres();
  const dataDir = writableDir(options.dataDir);
  const { data, password } = clusterPaths(dataDir);
  const recordFile = join(dataDir, "process.json");
  await endLeftovers(recordFile, data, options.log);
  const user = choosePostgresUser(dataDir, data, binaries);
  await ensureCluster(dataDir, user, options.log);
  const secret = readFileSync(password, "utf8").trim();

  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    try {
      const server = await startOn(port, { ...options, dataDir }, user, recordFile);
      const url = `postgres://${POSTGRES_USER}:${secret}@127.0.0.1:${port}/${POSTGRES_DATABASE}`;
      return Object.assign(server, { port, version: binaries.version.replace(/(\.0)?-.*/, ""), url });
    } catch (error) {
      const isTaken = error instanceof StartError && error.code === "port_taken";
      if (!isTaken) throw error;
      if (options.port === undefined && attempt < PORT_ATTEMPTS) continue;
      const doThis = "stop what listens there, or take another port";
      throw new StartError("port_taken", `port ${port}, for PostgreSQL, is taken: ${doThis}`, {
        cause: error,
      });
    }
  }
}

async function startOn(
  port: number,
  options: PostgresOptions,
  user: PostgresUser,
  recordFile: string,
): Promise<RunningServer> {
  const { dataDir, settings = {}, logFile = join(dataDir, "postgres.log") } = options;
  const { data } = clusterPaths(dataDir);
  const config = join(dataDir, "postgresql.conf");
  writeFileSync(config, postgresConfig(port, settings), { mode: 0o644 });
  const postgres = [join(user.native, "bin", "postgres"), "-D", data, "-c", `config_file=${config}`];
  const [command = "", ...args] = [...user.prefix, ...postgres];
  const server = await spawnServer({
    kind: "postgres",
    name: "PostgreSQL",
    command,
    args,
    cwd: dataDir,
    env: POSTGRES_ENV,
    uid: user.uid,
    gid: user.gid,
    logFile,
    recordFile,
  });
  const spawnedAt = Date.now();
  let told = false;
  const limits = {
    name: "PostgreSQL",
    logFile,
    deadlineMs: READY_MS,
    patientMs: RECOVERY_MS,
    signal: options.signal,
  };
  await waitUntilReady(server, limits, async () => {
    const answer = await askPostgres(port, POSTGRES_USER, POSTGRES_DATABASE);
    // Every start is "busy" for a moment; only a recovery takes longer.
    if (answer === "busy" && !told && Date.now() - spawnedAt > TELL_AFTER_MS) {
      told = true;
      options.log("PostgreSQL: recovering after a crash, this can take a minute");
    }
    return answer;
  });
  return server;
}

/**
 * What a crash left: the server itself, if guardian and parent died together, and backends that outlived a killed
 * server (they notice only when their statement ends; a new server beside them would corrupt the data). After that
 * nobody runs here, and postmaster.pid is wrong whatever it says: PostgreSQL itself would refuse to start when the pid
 * in it has meanwhile been given to another process of the same user.
 */
async function endLeftovers(recordFile: string, data: string, log: (message: string) => void): Promise<void> {
  const recorded = readRecordedProcess(recordFile);
  if (recorded) {
    log(`PostgreSQL: ending one that a crash left behind (process ${recorded.pid})`);
    await endProcess(recorded, ENDINGS.postgres);
  }
  let directory: string;
  try {
    directory = realpathSync(data);
  } catch {
    return; // no cluster yet
  }
  // PostgreSQL's own SIGINT means fast shutdown to the server and "cancel" to a backend; both then leave by themselves.
  const orphans = processesIn(directory);
  for (const orphan of orphans) send(orphan, "SIGINT");
  if (!(await hasEnded(orphans, ORPHAN_GRACE_MS))) {
    for (const orphan of orphans) send(orphan, "SIGKILL");
    if (!(await hasEnded(orphans, ORPHAN_GRACE_MS))) {
      const pids = orphans.map(({ pid }) => pid).join(" ");
      throw new StartError("data_dir_in_use", `other processes use ${data}: end them first (kill ${pids})`);
    }
  }
  if (process.platform === "linux") rmSync(join(data, "postmaster.pid"), { force: true });
}
