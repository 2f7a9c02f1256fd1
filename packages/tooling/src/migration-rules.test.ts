import t from "tap";
import { checkMigrations, migrationProblems } from "./migration-rules.ts";

const problems = (text: string) => migrationProblems("0011_x.sql", text);

const BREAKING: readonly string[] = [
  "drop table members",
  "drop view a",
  "drop function f()",
  "alter table members drop column name",
  "alter table members\n  add column a int, -- more;\n  drop column name",
  "alter table members drop constraint members_pkey",
  "alter table members rename column name to title",
  "alter table members rename to people",
  "alter index a rename to b",
  "ALTER TABLE members ALTER COLUMN name TYPE bigint",
  "alter table members alter name set data type bigint",
  "alter table members alter column name set not null",
  "alter table members alter column name drop default",
  "alter table members add column a int not null",
  "alter table members add column a int default 0, add column b text not null",
  "alter table members add column a int unique",
  "alter table members add column a uuid not null default gen_random_uuid()",
  "alter table members add column a int generated always as (b + 1) stored",
  "alter table members add column a bigint generated always as identity",
  "alter table members add column a uuid references others (id)",
  "alter table members add constraint c check (name <> '')",
  "alter table members add constraint c foreign key (a) references b (id)",
  "alter table members add unique (a)",
  'alter table "members" drop column name',
  "create index a on members (id)",
  "create unique index a on platform.halves (id)",
  "drop index a",
  "update members set name = ''",
  "delete from members",
  "truncate members",
  "lock table members in share mode",
  "create or replace function f() returns int language sql as $$ select 1 $$",
  "create index concurrently a on members (id)",
  "drop index concurrently if exists b; create index concurrently a on members (id)",
  "drop index concurrently if exists a; create index concurrently if not exists a on members (id)",
  "drop index concurrently if exists a; create index concurrently a on members (id); create table b (id int)",
  "drop index concurrently if exists a; create index concurrently a on members (id) where name = ';'",
];

for (const text of BREAKING) {
  t.test(`migration rules - refused: ${text.replaceAll("\n", " ")}`, async (t) => {
    t.equal(problems(`-- A reason.\n${text};\n`).length > 0, true);
    t.match(problems(text)[0], /^0011_x\.sql: /);
    const marked = "-- incompatible: names change; stop every process, migrate, start the new version";
    t.strictSame(problems(`${marked}\n${text};`), []);
  });
}

const HARMLESS: readonly string[] = [
  "create table things (id uuid not null, constraint things_pkey primary key (id))",
  "create table things (id int); create index things_idx on things (id); insert into things values (1); update things set id = 2",
  "create table things (id int); alter table things add constraint c check (id > 0)",
  "alter table members add column a int",
  "alter table members add column a int not null default 0",
  "alter table members add column a int default 0 not null",
  "alter table members set (fillfactor = 80)",
  "alter table members add constraint c check (name <> '') not valid",
  "drop index concurrently if exists a; create unique index concurrently a on members (id)",
  "drop index concurrently if exists a",
  "drop index concurrently if exists platform.a; create index concurrently a on platform.halves (id)",
  "comment on table members is 'never drop table members; rename'",
  "-- drop table members\ncreate table b (id int)",
  "create function f() returns trigger language plpgsql as $$ begin delete from members; return null; end $$",
];

for (const text of HARMLESS) {
  t.test(`migration rules - let through: ${text.replaceAll("\n", " ")}`, async (t) => {
    t.strictSame(problems(text), []);
  });
}

t.test("migration rules - a mark without a reason does not count", async (t) => {
  t.match(problems("-- incompatible: yes\ndrop table members;"), [/say why/]);
  t.match(problems("-- incompatible before 0009_rewards: yes\ndrop table members;"), [/say why/]);
});

t.test("migration rules - the gate reads every file of both databases", async (t) => {
  const root = t.testdir({
    packages: {
      "publisher-db": {
        migrations: { "0001_first.sql": "drop table members;", "0002_second.sql": "select 1;" },
      },
      "platform-db": {
        migrations: { "0001_other.sql": "create table things (id int);", "0002_next.sql": "drop index a;" },
      },
    },
  });
  t.match(checkMigrations(root), [
    /^packages\/publisher-db\/migrations\/0001_first\.sql: `drop table/,
    /^packages\/platform-db\/migrations\/0002_next\.sql: `drop index/,
  ]);
});
