import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { migratePublisher } from "#publisher-db";
import { Waiting } from "#runtime";
import { testServers, waitFor } from "#test-support";
import { lockForTransaction } from "./advisory-lock.ts";
import { assertSchema, awaitSchema } from "./assert-schema.ts";
import { closeStore, connectStore, type Store } from "./connect.ts";
import { type MigrationResult, migrateSet, migrationState } from "./migrate.ts";
import { readMigrations } from "./migration-file.ts";
import { ensureRecords, insertRecord } from "./migration-records.ts";

const FIRST = "create table first (id int constraint first_pkey primary key);";
const SECOND = "create table second (id int); insert into second values (1);";

async function emptyDatabase(t: Test): Promise<{ url: string; store: Store }> {
  const url = await (await testServers()).emptyDatabaseUrl();
  const store = connectStore({ url, max: 2, applicationName: "test" });
  t.teardown(() => closeStore(store));
  return { url, store };
}

async function directory(t: Test, files: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "stampede-migrations-"));
  t.teardown(() => rm(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return path;
}

const run = (directory: string, url: string): Promise<MigrationResult> =>
  migrateSet({ directory, lock: "migrate" }, url, () => {});

t.test("migrate - the second time applies nothing", async (t) => {
  const { url } = await emptyDatabase(t);
  const messages: string[] = [];
  const { applied } = await migratePublisher(url, (message) => messages.push(message));
  t.strictSame(
    messages,
    applied.map((name) => `applying migration ${name}`),
  );
  t.strictSame(applied, [
    "0001_publisher",
    "0002_console",
    "0003_bounds",
    "0004_console_audit",
    "0005_webhook_replays",
    "0006_rewards",
    "0007_links",
    "0008_pending_clips",
    "0009_deal_candidates",
    "0010_collection_index",
    "0011_delivery_bounds",
    "0012_batches_are_read",
    "0013_rejections_by_batch",
    "0014_late_retroactive",
    "0015_stream_places",
    "0016_undone_redemptions",
    "0017_lists_by_creation",
    "0018_ignored_by_key",
    "0019_first_descriptor",
    "0020_replay_rejections",
    "0021_replayed_outcomes",
    "0022_replay_order",
    "0023_told_times",
    "0024_no_batch_parts",
  ]);
  t.strictSame((await migratePublisher(url, t.fail)).applied, []);
});

t.test("migrate - several processes at one time apply each migration once", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const path = await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND });
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => run(path, url)));
  t.strictSame(outcomes.flatMap(({ applied }) => applied).sort(), ["0001_first", "0002_second"]);
  t.strictSame(await store`select id from second`, [{ id: 1 }]);
});

t.test("migrate - says that it waits for another process, and goes on when that is done", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const path = await directory(t, { "0001_first.sql": FIRST });
  const messages: string[] = [];
  let migrating: Promise<MigrationResult> | undefined;
  await store.begin(async (sql) => {
    await lockForTransaction(sql, "migrate");
    migrating = migrateSet({ directory: path, lock: "migrate" }, url, (message) => messages.push(message));
    await waitFor(() => messages.length > 0, { message: "it reports the session that it waits for" });
  });
  t.strictSame((await migrating)?.applied, ["0001_first"]);
  t.match(messages, [/^another process migrates this database/, "applying migration 0001_first"]);
});

t.test("migrate - leaves no connection behind", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const path = await directory(t, { "0001_first.sql": FIRST });
  await run(path, url);
  const [{ count }] = await store<[{ count: number }]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'stampede-migrate'`;
  t.equal(count, 0);
});

t.test("migrate - an edited migration is refused by name, other line ends are no edit", async (t) => {
  const { url } = await emptyDatabase(t);
  await run(await directory(t, { "0001_first.sql": `${FIRST}\n-- end\n` }), url);
  t.strictSame(await run(await directory(t, { "0001_first.sql": `${FIRST}\r\n-- end\r\n` }), url), {
    applied: [],
  });
  const edited = await directory(t, { "0001_first.sql": `${FIRST} -- edited`, "0002_second.sql": SECOND });
  await t.rejects(run(edited, url), { code: "MIGRATION_EDITED", message: /0001_first was edited/ });
});

const BREAKING = "-- incompatible: first is gone; stop every process, migrate, start the new version";

t.test(
  "migrate - a database of a newer version is left unchanged, unless that breaks this one",
  async (t) => {
    const { url, store } = await emptyDatabase(t);
    const older = await directory(t, { "0001_first.sql": FIRST });
    const newer = { "0001_first.sql": FIRST, "0002_second.sql": SECOND };
    await run(await directory(t, newer), url);
    const said: string[] = [];
    const back = await migrateSet({ directory: older, lock: "migrate" }, url, (line) => said.push(line));
    t.strictSame(back, { applied: [] });
    t.match(said, [/ahead of this version.*0002_second/]);
    await assertSchema(store, { directory: older, lock: "migrate" }, "the database");
    const third = `${BREAKING}\ndrop table first;`;
    await run(await directory(t, { ...newer, "0003_third.sql": third }), url);
    await t.rejects(run(older, url), {
      code: "MIGRATION_UNKNOWN",
      message: /0002_second, 0003_third.*or a later one/,
    });
    await t.rejects(assertSchema(store, { directory: older, lock: "migrate" }, "the database"), {
      code: "schema_too_new",
      message: /has migration 0003_third, on which this version cannot work \(first is gone; stop every/,
    });
  },
);

t.test("migrate - a database of another history is refused, with advice", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const before = { "0001_organisations.sql": FIRST, "0002_links.sql": SECOND };
  await run(await directory(t, before), url);
  await t.rejects(migratePublisher(url), {
    code: "MIGRATION_UNKNOWN",
    message:
      /none of this version's migrations and others instead \(0001_organisations, 0002_links\).* Start with an empty database; .* STAMPEDE_DATA_DIR$/,
  });
  t.strictSame(await store`select to_regclass('organisations') is null as untouched`, [{ untouched: true }]);
});

t.test("migrate - code that knows the migration named by a mark works on later ones", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const files = { "0001_first.sql": FIRST, "0002_second.sql": SECOND };
  const third = `-- incompatible before 0002_second: ${BREAKING.slice(17)}\ndrop table first;`;
  await run(await directory(t, { ...files, "0003_third.sql": third }), url);
  const known = { directory: await directory(t, files), lock: "migrate" } as const;
  await t.resolves(assertSchema(store, known, "the database"));
  const older = { directory: await directory(t, { "0001_first.sql": FIRST }), lock: "migrate" } as const;
  await t.rejects(assertSchema(store, older, "the database"), { code: "schema_too_new" });
});

t.test("migrate - a service does not start on a database that is behind it", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const newer = await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND });
  await t.rejects(assertSchema(store, { directory: newer, lock: "migrate" }, "the database"), {
    code: "not_migrated",
    message: "the database lacks migrations (0001_first, 0002_second): run `stampede migrate` first",
  });
  await run(await directory(t, { "0001_first.sql": FIRST }), url);
  await t.rejects(assertSchema(store, { directory: newer, lock: "migrate" }, "the database"), {
    message: /\(0002_second\)/,
  });
});

t.test("migrate - a service that starts during a migration waits for its end", async (t) => {
  const { store } = await emptyDatabase(t);
  const set = { directory: await directory(t, { "0001_first.sql": FIRST }), lock: "migrate" } as const;
  const waiting = new Waiting(new AbortController().signal, () => {});
  let started = Promise.resolve();
  // As `migrate` does it: the lock, the migration and its record in one transaction.
  await store.begin(async (sql) => {
    await lockForTransaction(sql, "migrate");
    started = awaitSchema({ waiting }, store, (sql) => assertSchema(sql, set, "the database"));
    await waitFor(() => waiting.described, { message: "it waits" });
    t.match(waiting.described, /^PostgreSQL \(the database lacks migrations \(0001_first\)/);
    await ensureRecords(sql, set);
    for (const migration of await readMigrations(set.directory)) {
      await sql.script(migration.text);
      await insertRecord(sql, set, migration);
    }
  });
  await t.resolves(started);
});

t.test("migrate - a service whose role may not look yet names the command to run", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const set = { directory: await directory(t, { "0001_first.sql": FIRST }), lock: "migrate" } as const;
  await migrateSet(set, url, () => {});
  const role = `nobody_${process.pid}`;
  await store.script(`create role ${role}`);
  t.teardown(() => store.script(`drop role ${role}`));
  await store
    .begin(async (sql) => {
      await sql`select set_config('role', ${role}, true)`;
      await t.rejects(assertSchema(sql, set, "the database"), {
        code: "database_rights",
        message:
          /^the database does not show this role .*permission denied.*: run `stampede migrate` as stampede_owner/,
      });
      // The refused statement has ended the transaction.
      throw new Error("rolled back");
    })
    .catch((error) => t.match(error, { message: "rolled back" }));
});

t.test("migrate - records of a release that kept no marks are read, and completed", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const path = await directory(t, { "0001_first.sql": FIRST });
  await run(path, url);
  await store`alter table schema_migrations drop column incompatible_before, drop column incompatible_reason`;
  await assertSchema(store, { directory: path, lock: "migrate" }, "the database");
  const more = await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND });
  t.strictSame(await run(more, url), { applied: ["0002_second"] });
});

t.test("migrate - one that does not get its lock lets others pass, and tries again", async (t) => {
  const { url, store } = await emptyDatabase(t);
  await run(await directory(t, { "0001_first.sql": FIRST }), url);
  const files = { "0001_first.sql": FIRST, "0002_add.sql": "alter table first add column more int;" };
  const path = await directory(t, files);
  const said: string[] = [];
  let migrating: Promise<MigrationResult> | undefined;
  await store.begin(async (sql) => {
    await sql`select from first`; // a reader that takes its time
    migrating = migrateSet({ directory: path, lock: "migrate" }, url, (line) => said.push(line));
    const gaveUp = () =>
      said.some((line) => /canceling statement due to lock timeout; trying again/.test(line));
    await waitFor(gaveUp, { message: "it waits on and on" });
    // While the migration pauses, others get through; none has to wait for the reader that holds the lock.
    await store`insert into first values (1)`;
  });
  t.strictSame(await migrating, { applied: ["0002_add"] });
});

t.test("migrate - an index is built while others write, and again after an interrupted build", async (t) => {
  const { url, store } = await emptyDatabase(t);
  await run(await directory(t, { "0001_first.sql": FIRST }), url);
  await store`insert into first values (1)`;
  const index = [
    "-- Beside running writers.",
    "drop index concurrently if exists first_idx;",
    "create index concurrently first_idx on first (id);",
  ].join("\n");
  await store`create index first_idx on first ((id + 1))`; // an interrupted build leaves such an index behind
  const path = await directory(t, { "0001_first.sql": FIRST, "0002_index.sql": index });
  const outcomes = await Promise.all([run(path, url), run(path, url)]);
  t.strictSame(
    outcomes.flatMap(({ applied }) => applied),
    ["0002_index"],
  );
  const rows = await store<{ definition: string; valid: boolean }[]>`
    select pg_get_indexdef(indexrelid) as definition, indisvalid as valid from pg_index
    where indexrelid = 'first_idx'::regclass`;
  t.match(rows, [{ definition: /\(id\)$/, valid: true }]);
});

t.test("migrate - an index that waits for an older transaction says for which", async (t) => {
  const { url, store } = await emptyDatabase(t);
  await run(await directory(t, { "0001_first.sql": FIRST }), url);
  const index = "create index concurrently first_idx on first (id);";
  const path = await directory(t, { "0001_first.sql": FIRST, "0002_index.sql": index });
  const said: string[] = [];
  const migrating = await store.begin("isolation level repeatable read", async (sql) => {
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const outcome = migrateSet({ directory: path, lock: "migrate" }, url, (message) => said.push(message));
    const isTold = () => said.some((line) => line.startsWith(`waiting: session ${pid} (test, role`));
    await waitFor(isTold, { message: "no report of the session that it waits for" });
    t.match(said.at(-1), `select pg_terminate_backend(${pid})`);
    return { outcome };
  });
  t.strictSame(await migrating.outcome, { applied: ["0002_index"] });
  t.equal(said.filter((line) => line.startsWith("waiting")).length, 1);
});

t.test("migrate - one that fails leaves nothing, those before it stay", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const broken = { "0001_first.sql": FIRST, "0002_second.sql": `${SECOND} select 1/0;` };
  await t.rejects(run(await directory(t, broken), url), {
    code: "MIGRATION_FAILED",
    message: "migration 0002_second failed: division by zero",
    cause: { code: "22012" },
  });
  t.strictSame(
    await store`select to_regclass('first') is null as first, to_regclass('second') is null as second`,
    [{ first: false, second: true }],
  );
  const mended = await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND });
  t.strictSame(await run(mended, url), { applied: ["0002_second"] });
});

t.test("migrate - numbers without gaps, and nothing else in the directory", async (t) => {
  const { url } = await emptyDatabase(t);
  for (const name of ["0003_third.sql", "0001_again.sql", "0002_Second.sql", "0002_second.txt", "notes.md"]) {
    const path = await directory(t, { "0001_first.sql": FIRST, [name]: SECOND });
    await t.rejects(run(path, url), { message: /^migration file .*: expected 000\d_/ }, name);
  }
});

t.test("migrate - a set with a schema of its own lives beside another, each with its records", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const own = { directory: await directory(t, { "0001_first.sql": FIRST }), lock: "migrate" } as const;
  const other = {
    directory: await directory(t, { "0001_other.sql": "create table beside.other (id int);" }),
    schema: "beside",
    lock: "migratePlatform",
  } as const;
  t.strictSame((await migrationState(store, other)).pending, ["0001_other"], "without its schema");
  await migrateSet(own, url, () => {});
  t.strictSame(await migrateSet(other, url, () => {}), { applied: ["0001_other"] });
  t.strictSame(await migrateSet(other, url, () => {}), { applied: [] });
  t.strictSame(await migrateSet(own, url, () => {}), { applied: [] });
  t.strictSame((await migrationState(store, other)).pending, []);
  const tables = await store<{ name: string }[]>`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname in ('public', 'beside') order by name`;
  t.strictSame(
    tables.map(({ name }) => name),
    ["beside.other", "beside.schema_migrations", "public.first", "public.schema_migrations"],
  );
});
