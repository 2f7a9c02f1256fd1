import t from "tap";
import { closeStore, connectStore } from "#postgres";
import { testServers } from "#test-support";
import { findDatabases } from "../servers.ts";
import { Terminal } from "../terminal.ts";
import { migrateDatabases } from "./migrate.ts";

async function tablesAfter(settings: Parameters<typeof findDatabases>[0], url: string) {
  const lines: string[] = [];
  const terminal = new Terminal({ write: t.fail }, { write: (line: string) => lines.push(line) });
  await migrateDatabases(findDatabases(settings), terminal);
  const store = connectStore({ url, max: 1, applicationName: "test" });
  try {
    const rows = await store<{ name: string }[]>`
      select distinct schemaname as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') order by name`;
    return { schemas: rows.map(({ name }) => name), last: lines.at(-1) };
  } finally {
    await closeStore(store);
  }
}

t.test("migrate - one database holds both schemas, unless the platform's is named separately", async (t) => {
  const servers = await testServers();
  const dataDir = t.testdir();
  const [both, publisher, platform, alone] = await Promise.all([
    servers.emptyDatabaseUrl(),
    servers.emptyDatabaseUrl(),
    servers.emptyDatabaseUrl(),
    servers.emptyDatabaseUrl(),
  ]);
  const unnamed = { databaseUrl: undefined, platformDatabaseUrl: undefined, dataDir };

  const first = await tablesAfter({ ...unnamed, databaseUrl: both }, both);
  t.match(first, { schemas: ["platform", "public"], last: /^\d+ migrations applied\n$/ });
  const again = await tablesAfter({ ...unnamed, databaseUrl: both }, both);
  t.match(again, { last: "the schema is up to date\n" });

  const apart = { ...unnamed, databaseUrl: publisher, platformDatabaseUrl: platform };
  t.match(await tablesAfter(apart, publisher), { schemas: ["public"] });
  t.match(await tablesAfter(apart, platform), { schemas: ["platform"] });

  t.match(await tablesAfter({ ...unnamed, platformDatabaseUrl: alone }, alone), { schemas: ["platform"] });
});
