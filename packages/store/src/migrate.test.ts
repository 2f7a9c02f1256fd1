import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { testServers } from "#test-support";
import { closeStore, connectStore, type Store } from "./connect.ts";
import { type MigrationOutcome, migrate, migrateSet, pendingMigrations } from "./migrate.ts";

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

const run = (directory: string, url: string): Promise<MigrationOutcome> =>
  migrateSet({ directory, lock: "migrate" }, url, () => {});

t.test("migrate - the second time applies nothing", async (t) => {
  const { url } = await emptyDatabase(t);
  const messages: string[] = [];
  const { applied } = await migrate(url, (message) => messages.push(message));
  t.strictSame(
    messages,
    applied.map((name) => `applying migration ${name}`),
  );
  t.equal(applied[0], "0001_organisations_members_transactions");
  t.strictSame((await migrate(url, t.fail)).applied, []);
});

t.test("migrate - several processes at one time apply each migration once", async (t) => {
  const { url, store } = await emptyDatabase(t);
  const path = await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND });
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => run(path, url)));
  t.strictSame(outcomes.flatMap(({ applied }) => applied).sort(), ["0001_first", "0002_second"]);
  t.strictSame(await store`select id from second`, [{ id: 1 }]);
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

t.test("migrate - a database of a newer version is refused, with what it has more", async (t) => {
  const { url } = await emptyDatabase(t);
  await run(await directory(t, { "0001_first.sql": FIRST, "0002_second.sql": SECOND }), url);
  const older = await directory(t, { "0001_first.sql": FIRST });
  await t.rejects(run(older, url), { code: "MIGRATION_UNKNOWN", message: /0002_second.*or a later one/ });
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
  t.strictSame(await pendingMigrations(store, other), ["0001_other"], "without its schema");
  await migrateSet(own, url, () => {});
  t.strictSame(await migrateSet(other, url, () => {}), { applied: ["0001_other"] });
  t.strictSame(await migrateSet(other, url, () => {}), { applied: [] });
  t.strictSame(await migrateSet(own, url, () => {}), { applied: [] });
  t.strictSame(await pendingMigrations(store, other), []);
  const tables = await store<{ name: string }[]>`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname in ('public', 'beside') order by name`;
  t.strictSame(
    tables.map(({ name }) => name),
    ["beside.other", "beside.schema_migrations", "public.first", "public.schema_migrations"],
  );
});
