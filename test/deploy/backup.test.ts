/**
 * Runs the commands of docs/operations/backup.md word for word, with the settings and the role of
 * deploy/postgres.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import { DEPLOY, ROOT } from "./deploy-folder.ts";
import { DeployedPostgres, findNative, HOME, PROGRAMS } from "./deployed-postgres.ts";

const MOMENT = "2026-11-26 12:00:00+00";
const WAIT_MS = 60_000;

const page = readFileSync(join(ROOT, "docs/operations/backup.md"), "utf8");
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block as string);
const block = (...words: string[]): string =>
  blocks.find((text) => words.every((word) => text.includes(word))) ?? `echo "no block with ${words}"; false`;

const native = findNative();
const skip = native === undefined && `there is no PostgreSQL with ${PROGRAMS.join(", ")} on this machine`;

t.test("backup - pg_basebackup, an archive, and back to a moment, as the page says", { skip }, async (t) => {
  const server = await DeployedPostgres.start(t);
  server.page(block("pg_basebackup"));
  t.ok(existsSync(server.env.STAMPEDE_BACKUP_DONE_FILE as string), "the file that doctor looks at");
  await restoreTo(t, server, block("base.tar.gz"));

  server.page(block("pg_basebackup"));
  server.sql("insert into purchases values (5003)");
  server.stop("immediate");
  rmSync(`${server.data}.lost`, { recursive: true });
  server.page(block("base.tar.gz").replace(/^recovery_target_time.*\n/m, ""));
  await waitFor(() => server.sql("select pg_is_in_recovery()") === "f", {
    deadlineMs: WAIT_MS,
    message: "the server goes on recovering",
  });
  t.equal(server.sql("select max(id) from purchases"), "5003", "without a moment, all rows");
});

t.test("backup - one that fails does not count as made, and removes no other", { skip }, async (t) => {
  const server = await DeployedPostgres.start(t);
  const done = server.env.STAMPEDE_BACKUP_DONE_FILE as string;
  const old = join(server.home, "backups/base-20260101T000000Z");
  server.page(
    `mkdir -p "${old}" "${server.home}/backups/new" && touch "${server.home}/backups/new/base.tar.gz"`,
  );
  server.page(`touch -d "20 days ago" "${old}"`);
  server.paste(block("pg_basebackup"), { BACKUP_DATABASE_URL: "postgres://nobody@localhost:1/postgres" });
  t.notOk(existsSync(done), "doctor is not told of it");
  t.ok(existsSync(old), "an older backup is all that is left");
  server.paste(block("stanza-create"), { PGBACKREST_CONFIG: "/nowhere" });
  t.notOk(existsSync(done), "pgBackRest's neither");

  server.paste(block("pg_basebackup"));
  t.ok(existsSync(done), "and what one left that was cut short is no hindrance");
  t.notOk(existsSync(old));
});

const backRest = native !== undefined && isThere("pgbackrest");
const skipBackRest = !backRest && "there is no pgbackrest on this machine";
t.test(
  "backup - pgBackRest, and back to a moment, as the page says",
  { skip: skip || skipBackRest },
  async (t) => {
    const server = await DeployedPostgres.start(t, (settings) =>
      settings.replace(/^archive_command = .*$/m, (shipped) => {
        const [, other] = /^# (archive_command = 'pgbackrest .*')$/m.exec(settings) ?? [];
        return other ?? shipped;
      }),
    );
    const config = readFileSync(join(DEPLOY, "postgres/pgbackrest.conf"), "utf8");
    server.write(
      "pgbackrest.conf",
      config.replace(`${HOME}/18/main`, server.data).replaceAll(HOME, server.home),
    );
    server.page(block("stanza-create"));
    t.ok(existsSync(server.env.STAMPEDE_BACKUP_DONE_FILE as string), "the file that doctor looks at");
    await restoreTo(t, server, block("pgbackrest", "restore"));
  },
);

/**
 * Writes rows before and after a moment; the server dies; restored to that moment, it has the earlier rows
 * and goes on.
 */
async function restoreTo(t: Test, server: DeployedPostgres, restore: string): Promise<void> {
  server.sql("create table purchases as select generate_series(1, 5000) as id");
  // pgBackRest takes a backup that ended in an earlier second than the moment.
  server.sql("select pg_sleep(1.1)");
  const moment = server.sql("select now()");
  server.sql("select pg_sleep(0.1); insert into purchases values (5001)");
  const last = server.sql("select pg_walfile_name(pg_current_wal_lsn())");
  server.sql("select pg_switch_wal()");
  await waitFor(() => server.sql("select last_archived_wal from pg_stat_archiver") >= last, {
    deadlineMs: WAIT_MS,
    message: "the log is not archived",
  });
  server.stop("immediate");

  server.page(restore.replace(MOMENT, moment));
  await waitFor(() => server.sql("select pg_is_in_recovery()") === "f", {
    deadlineMs: WAIT_MS,
    message: "the server goes on recovering",
  });
  t.equal(server.sql("select count(*), max(id) from purchases"), "5000|5000", "as it was at that moment");
  server.sql("insert into purchases values (5002)");
  server.sql("select pg_switch_wal()");
  await waitFor(() => server.sql("select archived_count from pg_stat_archiver") !== "0", {
    deadlineMs: WAIT_MS,
    message: "the restored server does not archive",
  });
}

function isThere(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((dir) => existsSync(join(dir, program)));
}
