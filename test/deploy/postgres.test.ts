import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { privatePostgres } from "#test-support";
import { DEPLOY, readDeployed } from "./deploy-folder.ts";

const FILE = join(DEPLOY, "postgres/postgresql.conf");
/**
 * Settings that PostgreSQL 15 to 18 introduced: 14 would not start with them (release notes, "server
 * configuration").
 */
const AFTER_14 =
  /^(recovery_prefetch|wal_decode_buffer_size|log_startup_progress_interval|archive_library|vacuum_buffer_usage_limit|reserved_connections|scram_iterations|io_combine_limit|io_method|io_workers|io_max_.*|transaction_timeout|transaction_buffers|summarize_wal|autovacuum_worker_slots|autovacuum_vacuum_max_threshold|vacuum_max_eager_freeze_failure_rate|log_lock_failures|idle_replication_slot_timeout|file_copy_method)$/;

const settings = [...readDeployed("postgres/postgresql.conf").matchAll(/^(\w+) = ('?)(.*?)\2$/gm)].map(
  ([, name, , value]) => ({ name: name as string, value: value as string }),
);

t.test("postgres - the server starts with the settings, and every one is in force", async (t) => {
  t.ok(settings.length > 30);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-postgresql-conf-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  // The server runs as another user, who may be unable to read the checkout.
  chmodSync(folder, 0o755);
  copyFileSync(FILE, join(folder, "postgresql.conf"));
  const server = await privatePostgres({ include: join(folder, "postgresql.conf") });
  t.teardown(() => server.remove());
  const store = connectStore({ url: server.url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  interface Row {
    name: string;
    applied: boolean;
    error: string | null;
    sourcefile: string;
  }
  const rows = await store<Row[]>`select name, applied, error, sourcefile from pg_file_settings`;
  const ours = rows.filter(({ sourcefile }) => sourcefile.startsWith(folder));
  t.strictSame(
    ours.map(({ name, applied, error }) => ({ name, applied, error })).sort(byName),
    settings.map(({ name }) => ({ name: name.toLowerCase(), applied: true, error: null })).sort(byName),
  );
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    const [row] = await store<Array<{ value: string }>>`select current_setting(${name}) as value`;
    t.equal(row?.value, "on", `${name}: an acknowledged event survives a power loss`);
  }
});

t.test("postgres - nothing in the settings is newer than PostgreSQL 14", async (t) => {
  for (const { name, value } of settings) {
    t.notMatch(name, AFTER_14);
    if (name === "wal_compression") t.match(value, /^(on|off)$/, "the others came with 15");
  }
});

const older = findOlder();
const skip = older === undefined && "there is no PostgreSQL 14 to 17 on this machine";
t.test("postgres - an older server, if installed, takes the settings", { skip }, async (t) => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-postgres-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  mkdirSync(data);
  copyFileSync(FILE, join(folder, "postgresql.conf"));
  chmodSync(folder, 0o755);
  chmodSync(data, 0o755);
  const ask = (name: string, file: string) => {
    const args = ["-C", name, "-D", data, "-c", `config_file=${file}`];
    return spawnSync(older as string, args, { encoding: "utf8", cwd: "/" });
  };
  const { status, stdout, stderr } = ask("max_wal_size", join(folder, "postgresql.conf"));
  t.equal(status, 0, stderr);
  t.equal(stdout.trim(), String(16 * 1024), "in MB");
});

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function findOlder(): string | undefined {
  const onPath = (process.env.PATH ?? "").split(delimiter).map((dir) => join(dir, "postgres"));
  const debian = [14, 15, 16, 17].map((major) => `/usr/lib/postgresql/${major}/bin/postgres`);
  return [...debian, ...onPath].find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return /\) 1[4567]\./.test(stdout ?? "");
  });
}
