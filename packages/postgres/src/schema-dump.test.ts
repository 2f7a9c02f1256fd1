import { readFile } from "node:fs/promises";
import t from "tap";
import { testServers, testStore } from "#test-support";
import { closeStore, connectStore } from "./connect.ts";
import { dumpSchema } from "./schema-dump.ts";

/** From dist/packages/postgres/src back to the source tree. */
const SCHEMA_FILE = new URL("../../../../packages/publisher-db/schema.txt", import.meta.url);

t.test("schema dump - schema.txt is the schema that the migrations make", async (t) => {
  const store = await testStore();
  t.equal(await dumpSchema(store), await readFile(SCHEMA_FILE, "utf8"), "as generate-schema-dump writes it");
});

t.test("schema dump - shows every kind of object, in one order however they were made", async (t) => {
  const table =
    "create table b (id bigint generated always as identity, e kind default 'x', n text storage external);";
  const second = "create table a (id uuid constraint a_pkey primary key) with (fillfactor = 70);";
  const first = `
    create type kind as enum ('x', 'w');
    create function f(i int) returns int language sql immutable as 'select i';`;
  const last = `
    create view v as select id from a;
    create function g() returns trigger language plpgsql as 'begin return new; end';
    create trigger t before insert on b for each row execute function g();
    create index i on b (f(id::int)) where id > 0;`;
  const dumps = [];
  for (const script of [first + table + second + last, second + first + table + last]) {
    const url = await (await testServers()).emptyDatabaseUrl();
    const store = connectStore({ url, max: 1, applicationName: "test" });
    await store.script(script);
    dumps.push(await dumpSchema(store));
    await closeStore(store);
  }
  t.equal(dumps[1], dumps[0]);
  for (const line of [
    "enum public.kind: x, w",
    "sequence public.b_id_seq as bigint start 1 increment 1",
    "CREATE OR REPLACE FUNCTION public.f(i integer)",
    "table public.a with (fillfactor=70)",
    "  column id bigint not null identity always",
    "  column e public.kind default 'x'::public.kind",
    "  column n text storage e",
    "  CREATE INDEX i ON public.b USING btree (public.f((id)::integer)) WHERE (id > 0)",
    "  CREATE TRIGGER t BEFORE INSERT ON public.b FOR EACH ROW EXECUTE FUNCTION public.g()",
    "view public.v as",
  ]) {
    t.ok(dumps[0]?.split("\n").includes(line), line);
  }
});
