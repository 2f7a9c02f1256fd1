import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { StartError } from "#runtime";
import { writableDir } from "./data-dir.ts";
import {
  clusterPaths,
  ensureCluster,
  POSTGRES_DATABASE,
  POSTGRES_ENV,
  POSTGRES_USER,
} from "./postgres-cluster.ts";
import { choosePostgresUser, findPostgres, identityOf, type PostgresUser } from "./postgres-programs.ts";
import { hasEnded, processesIn, readStat, send } from "./processes.ts";
import {
  endLeftover,
  type RunningServer,
  type ServerOptions,
  startOnPorts,
  startServer,
} from "./running-server.ts";

export interface PostgresOptions extends ServerOptions {
  /** More settings for postgresql.conf; they override ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** There must be a database already: a server that comes back never comes back empty. */
  readonly mustExist?: boolean;
}

export interface RunningPostgres extends RunningServer {
  readonly port: number;
  readonly version: string;
  /** URL of the database `stampede`, with its password. */
  readonly url: string;
}

/**
 * A server that says "starting up" replays its log after a crash: with 2 GB of log, a minute or so on a slow
 * disk.
 */
const RECOVERY_MS = 300_000;
const TELL_AFTER_MS = 1_000;
const ORPHAN_GRACE_MS = 5_000;

/**
 * Starts PostgreSQL 18 on loopback, and returns when it accepts connections. If it throws, then a
 * `StartError` that says what to do, and no process is left behind.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const binaries = findPostgres();
  if (options.mustExist === true && !existsSync(clusterPaths(options.dataDir).data)) {
    throw new StartError("data_dir_gone", `the database in ${options.dataDir} was moved or removed`);
  }
  const dataDir = writableDir(options.dataDir);
  const { data, password } = clusterPaths(dataDir);
  const recordFile = join(dataDir, "process.json");
  await endLeftover("postgres", "PostgreSQL", recordFile, options.log);
  await endOrphans(data);
  const user = choosePostgresUser(dataDir, data, binaries);
  await ensureCluster(dataDir, user, options.log);
  const secret = readFileSync(password, "utf8").trim();
  return startOnPorts("PostgreSQL", [options.port], async (port) => {
    const server = await startOn(port, { ...options, dataDir }, user, recordFile);
    const url = `postgres://${POSTGRES_USER}:${secret}@127.0.0.1:${port}/${POSTGRES_DATABASE}`;
    return Object.assign(server, { port, version: binaries.version.replace(/(\.0)?-.*/, ""), url });
  });
}

function startOn(
  port: number,
  options: PostgresOptions,
  user: PostgresUser,
  recordFile: string,
): Promise<RunningServer> {
  const { dataDir, settings = {}, logFile = join(dataDir, "postgres.log"), signal } = options;
  const { data } = clusterPaths(dataDir);
  const config = join(dataDir, "postgresql.conf");
  writeFileSync(config, postgresConfig(port, settings), { mode: 0o644 });
  const postgres = [join(user.native, "bin", "postgres"), "-D", data, "-c", `config_file=${config}`];
  const [command = "", ...args] = [...user.prefix, ...postgres];
  const startedAt = Date.now();
  let told = false;
  return startServer(
    {
      kind: "postgres",
      name: "PostgreSQL",
      command,
      args,
      cwd: dataDir,
      env: POSTGRES_ENV,
      identity: identityOf(user),
      logFile,
      recordFile,
      patientMs: RECOVERY_MS,
      signal,
    },
    async () => {
      const answer = await askPostgres(port, POSTGRES_USER, POSTGRES_DATABASE);
      // Every start is "busy" for a moment; only a recovery takes longer than that.
      if (answer === "busy" && !told && Date.now() - startedAt > TELL_AFTER_MS) {
        told = true;
        options.log("PostgreSQL: recovering after a crash, this can take a minute");
      }
      return answer;
    },
  );
}

/**
 * Ends backends that outlived a killed server: they notice only when their statement ends, and a new server beside them
 * would corrupt the data. After that nothing runs here, so postmaster.pid is wrong. With it, PostgreSQL
 * itself would refuse to start if the pid in it now belongs to another process of the same user.
 */
async function endOrphans(data: string): Promise<void> {
  let directory: string;
  try {
    directory = realpathSync(data);
  } catch {
    return; // no cluster yet
  }
  // To PostgreSQL's server, SIGINT means fast shutdown; to a backend it means "cancel". Both then leave by
  // themselves.
  // Not a person's shell that stands there.
  const orphans = processesIn(directory).filter(({ pid }) => readStat(pid)?.name === "postgres");
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

/**
 * The embedded server's settings, for a development machine of two cores and a few GiB. The file is written
 * at every start, so use `alter system` for changes of your own. Durability is PostgreSQL's default and is
 * not listed: fsync, full_page_writes and synchronous_commit are on.
 */
const SETTINGS: ReadonlyArray<readonly [name: string, value: string, reason: string]> = [
  ["listen_addresses", "127.0.0.1", "loopback only"],
  ["unix_socket_directories", "", "no socket file: its path may be too long, and nothing uses it"],
  ["max_connections", "60", "a handful of processes with small pools, the command line, a psql or two"],
  ["shared_buffers", "256MB", "the hot part of the transactions index; the rest is the page cache's"],
  ["work_mem", "8MB", "sorts of one batch of some thousand rows"],
  ["maintenance_work_mem", "64MB", "index builds and vacuum"],
  [
    "max_wal_size",
    "2GB",
    "bulk ingestion writes 50 MB/s: with the default 1 GB it would checkpoint every ten seconds",
  ],
  ["checkpoint_timeout", "5min", "bounds the recovery after a crash, and so the next start"],
  ["wal_level", "minimal", "nothing replicates from this server"],
  ["max_wal_senders", "0", "required by wal_level minimal"],
  ["jit", "off", "short statements: compiling takes longer than running them"],
  ["random_page_cost", "1.1", "solid state disks"],
  ["autovacuum_naptime", "15s", "lifecycle updates leave dead rows at the ingest rate"],
  ["client_connection_check_interval", "2s", "a killed client's running statement, and its locks, end soon"],
  ["timezone", "UTC", "the machine's zone must not show in any result"],
  ["log_timezone", "UTC", ""],
  ["log_line_prefix", "%m [%p] %d ", "which database, for the tests' many"],
  ["log_min_duration_statement", "1s", "statement texts only hold placeholders, never values"],
  ["log_parameter_max_length", "0", "parameters may be personal data: none in the log"],
  ["log_parameter_max_length_on_error", "0", ""],
];

/** The text of postgresql.conf. `settings` come last and override the others. */
function postgresConfig(port: number, settings: Readonly<Record<string, string>>): string {
  const lines = SETTINGS.map(([name, value, reason]) => setting(name, value) + (reason && `  # ${reason}`));
  const own = Object.entries(settings).map(([name, value]) => setting(name, value));
  return `${["# Written at every start.", ...lines, setting("port", String(port)), ...own].join("\n")}\n`;
}

function setting(name: string, value: string): string {
  return `${name} = '${value.replaceAll("'", "''")}'`;
}

const ANSWER_MS = 2_000;
const PROTOCOL_3_0 = 196_608;

/**
 * Asks a PostgreSQL whether it accepts connections, the way pg_isready does: it sends a start-up packet and
 * reads the answer. True: the server asks for a password. "busy": it says that it is starting up or
 * recovering (SQLSTATE 57P03). False: no answer.
 */
function askPostgres(port: number, user: string, database: string): Promise<boolean | "busy"> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const answer = (value: boolean | "busy"): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(ANSWER_MS, () => answer(false));
    socket.once("error", () => answer(false));
    socket.once("close", () => answer(false));
    socket.once("connect", () => socket.write(startupPacket(user, database)));
    socket.once("data", (message) => {
      const type = String.fromCharCode(message[0] ?? 0);
      if (type === "R") answer(true);
      else answer(type === "E" && message.includes("57P03") ? "busy" : false);
    });
  });
}

function startupPacket(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const packet = Buffer.alloc(8 + body.length);
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(PROTOCOL_3_0, 4);
  body.copy(packet, 8);
  return packet;
}
