import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { closeStore, connectStore } from "#postgres";
import type { PrivatePostgres } from "./private-servers.ts";

/**
 * The settings that `privatePostgres` needs for these backups. `archive_command` is set once its target is
 * known.
 */
export const ARCHIVING = { wal_level: "replica", archive_mode: "on", archive_command: "" };

/**
 * A copy of a running server's files, and everything that it archives from then on: as pg_basebackup and an
 * archive give them.
 */
export interface BaseBackup {
  /** A second copy of everything, next to the server. */
  readonly copy: string;
  readonly archive: string;
}

/** Works like pg_basebackup, which the embedded PostgreSQL lacks: takes the copy while the server works. */
export async function takeBaseBackup({ url }: PrivatePostgres): Promise<BaseBackup> {
  // One session for the whole backup: the server ends a backup whose session is gone.
  const store = connectStore({ url, max: 1, applicationName: "backup" });
  try {
    const [{ data }] = await store<[{ data: string }]>`select current_setting('data_directory') as data`;
    const archive = join(dirname(data), "archive");
    const copy = join(dirname(data), `backup-${Date.now()}`);
    // Files archived before a restore have names that the server gives again.
    rmSync(archive, { recursive: true, force: true });
    mkdirSync(archive);
    give(archive, data);
    await store.script(`alter system set archive_command = 'cp %p "${archive}/%f"'`);
    await store`select pg_reload_conf()`;
    await store`select pg_backup_start('test', fast => true)`;
    cpSync(data, copy, { recursive: true, filter: (path) => isWanted(path.slice(data.length)) });
    const [{ label, from }] = await store<[{ label: string; from: string }]>`
      select labelfile as label, pg_walfile_name(lsn) as from from pg_backup_stop(wait_for_archive => true)`;
    writeFileSync(join(copy, "backup_label"), label);
    // The log up to the end of the backup, without which the copy is useless.
    const start = /file ([0-9A-F]{24})/.exec(label)?.[1] ?? from;
    for (const name of readdirSync(archive)) {
      if (name >= start && name <= from) cpSync(join(archive, name), join(copy, "pg_wal", name));
    }
    for (const path of everythingIn(copy)) give(path, data);
    return { copy, archive };
  } finally {
    await closeStore(store);
  }
}

/**
 * Puts the server back: kills it, removes its files, and puts the copy in their place.
 * @param until `backup`: as it was when the backup ended; `archived`: with everything archived, which lacks
 *   the last seconds, as a promoted standby does; `now`: with the data in the lost files, too
 * @param onLost called right before the server starts again
 */
export async function restore(
  postgres: PrivatePostgres,
  { copy, archive }: BaseBackup,
  until: "backup" | "archived" | "now",
  onLost: () => void = () => {},
): Promise<void> {
  await postgres.kill();
  const data = join(dirname(copy), "data");
  const lost = `${copy}-lost`;
  renameSync(data, lost);
  cpSync(copy, data, { recursive: true });
  if (until === "now") {
    // The last segment was never full and so never archived: a standby, or the disk, has saved it.
    const wal = readdirSync(join(lost, "pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name));
    for (const name of wal) cpSync(join(lost, "pg_wal", name), join(data, "pg_wal", name));
  }
  if (until !== "backup") {
    appendFileSync(join(data, "postgresql.auto.conf"), `restore_command = 'cp "${archive}/%f" "%p"'\n`);
    writeFileSync(join(data, "recovery.signal"), "");
  }
  // Node 24 makes the copied folder with Node's own mode, and PostgreSQL refuses a folder that others may read.
  chmodSync(data, statSync(lost).mode);
  for (const path of everythingIn(data)) give(path, lost);
  rmSync(lost, { recursive: true });
  onLost();
  await postgres.start();
}

/** Without the files of the process, and without segments: those of the copy are archived. */
function isWanted(path: string): boolean {
  return !/^\/(pg_wal\/.|postmaster\.(pid|opts)$|pg_replslot\/.|pg_dynshmem\/.|pg_notify\/.|pg_stat_tmp\/.)/.test(
    path,
  );
}

function everythingIn(dir: string): string[] {
  return [dir, ...readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name))];
}

/** If the test runs as root, PostgreSQL runs as another user. */
function give(path: string, like: string): void {
  const { uid, gid } = statSync(like);
  if (uid !== process.getuid?.()) chownSync(path, uid, gid);
}
