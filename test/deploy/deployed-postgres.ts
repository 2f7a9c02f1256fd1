import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Test } from "tap";
import { freePort } from "#embedded";
import { selfSignedCertificate } from "#test-support";
import { DEPLOY } from "./deploy-folder.ts";

export const PROGRAMS = ["initdb", "pg_ctl", "psql", "pg_basebackup"];
/** Where the documents and the settings say that PostgreSQL lives. */
export const HOME = "/var/lib/postgresql";
const native = findNative();

/** A PostgreSQL with deploy/postgres below a folder that stands for /var/lib/postgresql. */
export class DeployedPostgres {
  readonly home: string;
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #ids = serverUser();

  private constructor(home: string, port: number) {
    this.home = home;
    this.data = join(home, "data");
    this.env = {
      PATH: `${native}${delimiter}${process.env.PATH}`,
      PGHOST: home,
      PGPORT: `${port}`,
      PGUSER: "postgres",
      PGDATA: this.data,
      TZ: "UTC",
      BACKUP_DATABASE_URL: `postgres://stampede_backup:secret@localhost:${port}/postgres?sslmode=require`,
      STAMPEDE_BACKUP_DONE_FILE: join(home, "backup-done"),
      PGBACKREST_CONFIG: join(home, "pgbackrest.conf"),
      PGBACKREST_PG1_SOCKET_PATH: home,
      PGBACKREST_PG1_PORT: `${port}`,
      PGBACKREST_PG1_USER: "postgres",
      PGBACKREST_LOG_PATH: home,
      PGBACKREST_LOCK_PATH: home,
      PGBACKREST_REPO1_CIPHER_PASS: "a passphrase of the test",
      ...(process.env.LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH }),
    };
  }

  static async start(t: Test, change = (settings: string) => settings): Promise<DeployedPostgres> {
    const home = mkdtempSync(join(realpathSync(tmpdir()), "stampede-backup-"));
    const server = new DeployedPostgres(home, await freePort());
    t.teardown(() => {
      server.stop("immediate");
      rmSync(home, { recursive: true, force: true });
    });
    server.#give(home);
    server.#sh(`initdb -D "$PGDATA" -U postgres --no-sync --locale=C --encoding=UTF8`);
    const shipped = readFileSync(join(DEPLOY, "postgres/postgresql.conf"), "utf8");
    server.write("stampede.conf", change(shipped).replaceAll(HOME, home));
    server.write("pg_hba.conf", readFileSync(join(DEPLOY, "postgres/pg_hba.conf"), "utf8"));
    const { cert, key } = selfSignedCertificate(["localhost"]);
    server.write("server.pem", cert);
    server.write("server-key.pem", key, 0o600);
    appendFileSync(
      join(server.data, "postgresql.conf"),
      `include = '${home}/stampede.conf'
port = ${server.env.PGPORT}
listen_addresses = 'localhost'
unix_socket_directories = '${home}'
hba_file = '${home}/pg_hba.conf'
ssl = on
ssl_cert_file = '${home}/server.pem'
ssl_key_file = '${home}/server-key.pem'
shared_buffers = '64MB'
min_wal_size = '80MB'
`,
    );
    server.#sh(`pg_ctl start -w -t 60 -l "$PGDATA.log"`);
    server.#sh(
      `psql -v ON_ERROR_STOP=1 -qo /dev/null -d postgres -f -`,
      readFileSync(join(DEPLOY, "postgres/roles.sql"), "utf8"),
    );
    server.sql("alter role stampede_backup password 'secret'");
    return server;
  }

  /** Runs commands of the page. */
  page(commands: string): void {
    this.#sh(commands.replaceAll(HOME, this.home));
  }

  /** Runs commands of the page as a shell does that goes on after a failure, such as cron's. */
  paste(commands: string, change: NodeJS.ProcessEnv = {}): void {
    spawnSync("sh", ["-c", commands.replaceAll(HOME, this.home)], {
      ...this.#ids,
      cwd: this.home,
      env: { ...this.env, ...change },
      stdio: "ignore",
    });
  }

  /** Prints rows without a frame, and a bar between columns. */
  sql(statements: string): string {
    return this.#sh(`psql -v ON_ERROR_STOP=1 -qAt -d postgres -f -`, statements).trim();
  }

  stop(mode: "fast" | "immediate"): void {
    if (existsSync(join(this.data, "postmaster.pid"))) this.#sh(`pg_ctl stop -w -m ${mode}`);
  }

  write(name: string, text: string, mode = 0o644): void {
    const file = join(this.home, name);
    writeFileSync(file, text, { mode });
    this.#give(file);
  }

  #give(path: string): void {
    const { uid, gid } = this.#ids;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }

  #sh(commands: string, input = ""): string {
    const { status, stdout, stderr, error } = spawnSync("sh", ["-euc", commands], {
      ...this.#ids,
      cwd: this.home,
      env: this.env,
      input,
      encoding: "utf8",
    });
    if (status === 0) return stdout;
    const log = existsSync(`${this.data}.log`) ? readFileSync(`${this.data}.log`, "utf8").slice(-3000) : "";
    throw new Error(`${commands}: ${error?.message ?? ""} ${stdout} ${stderr} ${log}`);
  }
}

/** PostgreSQL refuses root, and initdb looks its user up by id. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The folder of an installation with all programs of one version. Debian's commands on the PATH only search
 * for it.
 */
export function findNative(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .map((dir) => join(dir, "pg_ctl"))
    .filter((file) => existsSync(file))
    .map((file) => dirname(realpathSync(file)));
  return [...versions.map((version) => join(debian, version, "bin")), ...onPath].find((dir) =>
    PROGRAMS.every((name) => existsSync(join(dir, name))),
  );
}
