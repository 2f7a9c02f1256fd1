import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { closeStore, connectStore, type MigrationResult, migrateSet, migrationsDirectory } from "#postgres";
import { type Pipeline, type ServiceProcess, startPipeline, testServers, waitFor } from "#test-support";
import { siteOf, World } from "#test-world";
import { drained } from "./drained.ts";

/**
 * The next release's migrations while processes of this release run: the first step of an upgrade by
 * `stampede migrate`, and the remainder after the release is taken back.
 */

t.setTimeout(400_000);

const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const PATIENCE_MS = 60_000;

/** As the gate lets them through: a column on the largest table, a table, and an index on the largest table. */
const ADDITIVE = {
  column: "alter table transactions add column note text not null default '';",
  table: "create table notes (id uuid not null, constraint notes_pkey primary key (id));",
  index:
    "drop index concurrently if exists transactions_note_idx;\n" +
    "create index concurrently transactions_note_idx on transactions (organisation_id, note);",
};
const BREAKING = {
  break:
    "-- incompatible: notes move elsewhere; stop every process, migrate, start the new version\ndrop table notes;",
};

t.test(`migrating under load blocks no request and loses no event (seed ${SEED})`, async (t) => {
  const pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "warn" } });
  t.teardown(() => pipeline.stop());
  const { databaseUrl } = pipeline;
  let edges: readonly ServiceProcess[] = [pipeline.edge];
  const world = await World.open(
    siteOf(pipeline, () => edges),
    { seed: SEED, lanes: 4 },
  );
  t.teardown(() => world.close());
  world.begin();
  await world.progress(10, PATIENCE_MS);

  const said: string[] = [];
  const directory = await nextRelease(t, ADDITIVE);
  let migrating: Promise<MigrationResult> | undefined;
  await whileTableIsRead(databaseUrl, async () => {
    migrating = migrateSet({ directory, lock: "migrate" }, databaseUrl, (line) => said.push(line));
    migrating.catch(() => {});
    const gaveUp = () => said.some((line) => line.includes("lock timeout; trying again"));
    await waitFor(gaveUp, { deadlineMs: PATIENCE_MS, message: "it waits for the table's lock on and on" });
    // The migration waits as long as another session reads the table; all other statements run.
    await world.progress(30, PATIENCE_MS);
  });
  t.match((await migrating)?.applied, [/_column$/, /_table$/, /_index$/]);
  await world.progress(10, PATIENCE_MS);

  // This release on the next one's schema, next to processes that started before it: taken back, or restarted
  // meanwhile.
  const [edge] = await Promise.all([
    pipeline.start("edge"),
    pipeline.start("ingest"),
    pipeline.start("rewards"),
    pipeline.start("platform"),
    pipeline.start("webhooks"),
  ]);
  edges = [edge];
  t.equal(await pipeline.edge.stop(), 0);
  t.equal(await pipeline.ingest.stop(), 0);
  await world.progress(30, PATIENCE_MS);
  await world.end();
  await world.arrives(PATIENCE_MS / 1_000);
  await drained(pipeline);
  t.strictSame(await world.faults(), []);
  const answered = Object.keys(world.statuses).filter((status) => Number(status) >= 500 || status === "none");
  t.strictSame(answered, [], "every request had its answer, and none was an error of ours");

  await refusesToStart(t, pipeline);
});

async function refusesToStart(t: Test, pipeline: Pipeline): Promise<void> {
  const { databaseUrl } = pipeline;
  await migrateSet(
    { directory: await nextRelease(t, { ...ADDITIVE, ...BREAKING }), lock: "migrate" },
    databaseUrl,
    () => {},
  );
  const empty = await (await testServers()).emptyDatabaseUrl();
  for (const service of ["edge", "ingest", "rewards", "webhooks"] as const) {
    await t.rejects(
      pipeline.start(service),
      {
        message:
          /the database has migration \d{4}_break, on which this version cannot work \(notes move elsewhere;/,
      },
      `${service}: a schema that is too new`,
    );
    await t.rejects(
      pipeline.start(service, { DATABASE_URL: empty }),
      {
        message:
          /the database lacks migrations \(0001_publisher, 0002_console, .*\): run `stampede migrate` first/,
      },
      `${service}: no schema`,
    );
  }
}

/**
 * Holds the lock of every reader of the table, so that no session can change the table, as long as `work`
 * takes.
 */
async function whileTableIsRead(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "test-reader" });
  try {
    await store.begin(async (sql) => {
      await sql`lock table transactions in access share mode`;
      await work();
    });
  } finally {
    await closeStore(store);
  }
}

/** This release's migrations, and more with the next numbers. */
async function nextRelease(t: Test, more: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "stampede-migrations-"));
  t.teardown(() => rm(directory, { recursive: true }));
  await cp(migrationsDirectory("publisher-db"), directory, { recursive: true });
  let number = (await readdir(directory)).length;
  for (const [name, text] of Object.entries(more)) {
    await writeFile(join(directory, `${String(++number).padStart(4, "0")}_${name}.sql`), text);
  }
  return directory;
}
