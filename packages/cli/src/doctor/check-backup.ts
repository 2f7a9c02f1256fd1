import { statSync } from "node:fs";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "backup";
const HOUR_MS = 3_600_000;
/** A daily backup, and two hours that it may take or be late. */
const WARN_HOURS = 26;
const FAIL_HOURS = 72;

/**
 * The age of the last backup that was complete, by the file that the job which makes them touches when it is done
 * (docs/operations/backup.md): PostgreSQL itself does not know.
 */
export function checkBackup(file: string | undefined, now: number): Finding {
  if (file === undefined) {
    return warn(
      CHECK,
      "unknown: set STAMPEDE_BACKUP_DONE_FILE to the file that your backup touches when it is done",
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
