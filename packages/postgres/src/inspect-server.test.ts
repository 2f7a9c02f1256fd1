import t from "tap";
import { testStore } from "#test-support";
import { inspectServer } from "./inspect-server.ts";

t.test("server - a role without pg_monitor counts the connections of others, too", async (t) => {
  const store = await testStore(2);
  const role = `looks_${process.pid}`;
  await store.script(`create role ${role}`);
  t.teardown(() => store.script(`drop role ${role}`));
  await store.begin(async (other) => {
    await other`set local application_name = 'pg_dump'`;
    await store.begin(async (sql) => {
      await sql`select set_config('role', ${role}, true)`;
      await sql`set local application_name = 'stampede'`;
      t.ok((await inspectServer(sql)).otherConnections > 0);
    });
  });
});
