import { statSync } from "node:fs";
import type { Sql } from "#postgres";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "backup";
const HOUR_MS = 3_600_000;
/** A daily backup, and two hours that it may take or be late. */
const WARN_HOURS = 26;
const FAIL_HOURS = 72;

/**
 * The age of the last complete backup, by the file that the backup job touches when it is done (docs/operations/backup.md):
 * PostgreSQL does not know it.
 */
export function checkBackup(file: string | undefined, now: number): Finding {
  if (file === undefined) {
    return warn(
      CHECK,
      "none is known: set STAMPEDE_BACKUP_DONE_FILE to the file that your backup touches when it is done",
    );
  }
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    return fail(
      CHECK,
      `${file} is not there: make a backup (docs/operations/backup.md), and have it touch that file`,
    );
  }
  const hours = Math.floor((now - stat.mtimeMs) / HOUR_MS);
  const what = `the last one was done ${hours} h ago`;
  if (hours < WARN_HOURS) return ok(CHECK, what);
  const doThis = "look at the job that makes them (docs/operations/backup.md)";
  return hours < FAIL_HOURS ? warn(CHECK, `${what}: ${doThis}`) : fail(CHECK, `${what}: ${doThis}`);
}

interface Archive {
  readonly mode: string;
  readonly standbys: number;
  /** Seconds since the last segment was archived; null if none was since the server's statistics began. */
  readonly age: number | null;
  /** The segment whose archiving failed, if that was the last attempt. */
  readonly failed: string | null;
}

/** Whether the write-ahead log is archived; without it a restore ends at the last base backup. */
export async function checkArchive(check: string, sql: Sql): Promise<Finding> {
  const [archive] = await sql<[Archive]>`
    select
      current_setting('archive_mode') as mode,
      (select count(*)::int from pg_stat_replication) as standbys,
      extract(epoch from now() - last_archived_time)::int as age,
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed
    from pg_stat_archiver`;
  const { mode, standbys, age, failed } = archive;
  if (failed !== null) {
    const what = `segment ${failed} of the log cannot be archived, and pg_wal grows until its disk is full`;
    return fail(check, `${what}: PostgreSQL's log says why; mend archive_command or its target`);
  }
  if (mode !== "off") {
    return ok(check, age === null ? "no segment was due yet" : `the last segment of the log ${age} s ago`);
  }
  if (standbys > 0) return ok(check, `not archived, and ${standbys} standbys have the log`);
  const what = "the log is not archived, so a restore gets no further than the last base backup";
  return warn(check, `${what}: set archive_mode and archive_command (docs/operations/backup.md)`);
}
