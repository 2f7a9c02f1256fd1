import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t from "tap";
import { deriveOperation, operationOf, operationOfScript } from "./statement-operation.ts";
import { sourceTemplates } from "./test-source-templates.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const DATABASES = ["packages/publisher-db", "packages/platform-db"];
const SERVICES = ["edge", "ingest", "platform", "rewards", "webhooks", "console"].map(
  (name) => `services/${name}`,
);
const SOURCES = ["packages/postgres", ...DATABASES, "packages/cli", ...SERVICES];

for (const [text, operation] of [
  ["select id from members where id = ? ", "select members"],
  [
    "\n  select found.* from unnest( ? ::uuid[]) as wanted (id) left join transactions t on true",
    "select transactions",
  ],
  ["select to_char(extract(epoch from authed_at)) from transactions", "select transactions"],
  ["with due as materialized (select id from webhook_queues) select * from due", "select webhook_queues"],
  ["with members as (select * from members where f(id)) select * from members", "select members"],
  ["select to_regclass( ? )", "select to_regclass"],
  ["select key from ( ? ) as half cross join lateral platform.half_keys(half.ids) as k (key)", "select"],
  ["select ? from ? where ? ", "select"],
  ["select id from webhooks where id = ? for no key update", "lock webhooks"],
  ["select pg_advisory_xact_lock( ? ::int, 0)", "select pg_advisory_xact_lock"],
  ["insert into clips (id) values ( ? ) on conflict do nothing", "insert clips"],
  ["insert into deals (id) values ( ? ) on conflict (id) do update set revision = ? ", "insert deals"],
  ["with held as (select 1) insert into events (id) select id from told", "insert events"],
  ["update transactions t set state = ? from input i where t.id = i.id", "update transactions"],
  ["update webhooks as w set state = ? ", "update webhooks"],
  [
    "with gone as (delete from members where id = ? returning id) select count(*) from gone",
    "delete members",
  ],
  ["create table ? (id int)", "create"],
  ["insert into ? (name) values ( ? )", "insert"],
  [" ? and ? ", "other"],
] as const) {
  t.test(`statement operation - ${JSON.stringify(text)} is "${operation}"`, async (t) => {
    t.equal(deriveOperation(text), operation);
  });
}

t.test("statement operation - a script is named by its first word, if that is one of ours", async (t) => {
  for (const [text, operation] of [
    ["begin ", "begin"],
    ["begin isolation level repeatable read", "begin"],
    ["commit", "commit"],
    ["rollback to savepoint nested; release savepoint nested", "rollback"],
    ["drop table secrets", "script"],
    ["4111111111111111", "script"],
  ] as const) {
    t.equal(operationOfScript(text), operation, text);
  }
});

t.test("statement operation - one place in the source is derived once, for all values", async (t) => {
  const seen = new Set<TemplateStringsArray>();
  const tag = (strings: TemplateStringsArray, ..._values: unknown[]) => {
    seen.add(strings);
    return operationOf(strings);
  };
  for (const value of ["m-1", "from secrets", "insert into secrets"]) {
    t.equal(tag`select id from members where ref = ${value}`, "select members");
  }
  t.equal(seen.size, 1);
});

const tables = DATABASES.flatMap((folder) => {
  const schema = readFileSync(`${ROOT}${folder}/schema.txt`, "utf8");
  return [...schema.matchAll(/^table (\S+)/gm)].map(([, name]) => (name as string).replace(/^public\./, ""));
});
/** Tables whose name is a parameter in all statements. */
const NAMED = /^schema_migrations$|^platform\.(idempotency_keys|deals|stream_places)$/;
/** Written by a trigger or within a statement that announces, and read only within statements that write to another table. */
const WITHIN_OTHERS = /^webhook_(?:subscriptions|subscribers|starts|announcements)$/;
const templates = SOURCES.flatMap((folder) => sourceTemplates(`${ROOT}${folder}/src`));

t.test("statement operation - every statement names its verb and one of our tables", async (t) => {
  const objects = [
    ...tables,
    "transactions_settled_order",
    "pg_\\w+",
    "current_setting",
    "clock_timestamp",
    "now",
    "to_regclass",
  ].map((name) => name.replaceAll(".", "\\."));
  const sane = new RegExp(`^(?:(?:select|lock|insert|update|delete) (?:${objects.join("|")})|create)$`);
  const operations = new Set<string>();
  for (const { file, strings } of templates) {
    const text = strings.join(" ? ");
    // Everything else is a piece of a statement, and never sent alone.
    if (!/^\s*(?:select|insert|update|delete|with|create)\b/.test(text)) continue;
    const operation = deriveOperation(text);
    operations.add(operation);
    // Its table's name is a parameter: in migrations, in the check of rewards, in the schema dump, and for
    // places in streams, answers under idempotency keys and the records that the platform configures, of which there are several
    // tables each.
    const named =
      /(?:from|into|update)\s+(?:\(\s*)?\?/.test(text) && /^(?:select|insert|update|delete)$/.test(operation);
    // A statement that asks only for the server's clock has no table.
    const isOfNoTable = operation === "select" && !/\bfrom\b/.test(text);
    if (!named && !isOfNoTable)
      t.match(operation, sane, `${file}: ${text.replace(/\s+/g, " ").slice(0, 80)}`);
  }
  for (const table of tables) {
    const isUsed = [...operations].some((operation) => operation.endsWith(` ${table}`));
    t.equal(isUsed, !NAMED.test(table) && !WITHIN_OTHERS.test(table), `${table} is found in the sources`);
  }
  t.ok(operations.size > 80 && operations.size < 200, `${operations.size} operations`);
});

/**
 * A statement bounds the rows that it touches: by a limit, by given keys, by a row's own key, or because the
 * table has one row.
 */
const BOUNDED = new RegExp(
  [
    "\\blimit\\b",
    "= any ?\\( ?\\?",
    "\\bunnest\\(|json_(?:to_recordset|array_elements)|\\bvalues\\s*\\(",
    "= ?\\?",
    "\\bctid >= \\?",
    "pg_(?:locks|stat_activity|settings)",
    "\\b(?:installation|transactions_settled_order|transaction_retention|webhook_horizon|platform\\.configuration)\\b",
  ].join("|"),
);
/**
 * The others, by file: their number, and their bounds. docs/scaling.md has the work that is done in steps.
 */
const BOUNDED_OTHERWISE: Readonly<Record<string, readonly [statements: number, by: string]>> = {
  "packages/publisher-db/src/deliveries.ts": [1, "the deliveries that it is given"],
  "packages/publisher-db/src/find-event-faults.ts": [3, "a step of `nextEvents`, or the rows of a piece"],
  "packages/publisher-db/src/first-token.ts": [1, "the first row"],
  "packages/publisher-db/src/migrate-publisher.ts": [1, "webhooks that asked for a family, once a version"],
  "packages/publisher-db/src/verify-rewards.ts": [1, "the rows of a piece"],
  "packages/publisher-db/src/write-events.ts": [1, "the events that it is given"],
  "packages/platform-db/src/platform-tokens.ts": [2, "records that people make"],
  "services/edge/src/offers/deals.ts": [1, "a page"],
  "services/edge/src/trace/ids.ts": [7, "a key, or the earnings of one purchase"],
  "services/edge/src/members/memberbases.ts": [2, "a page, and one count of an organisation's memberbases"],
  "services/edge/src/members/member-rows.ts": [2, "a page, or the records that a filter names"],
  "services/edge/src/offers/programs.ts": [1, "a page"],
  "services/edge/src/wallet/wallet-members.ts": [1, "the rows just made"],
  "services/ingest/src/cleanup/sweep-findings.ts": [1, "days of gaps in streams"],
  "services/platform/src/configuration/publish-configuration.ts": [1, "records that people make"],
  "services/platform/src/configuration/revised-table.ts": [2, "a page, records that people make"],
  "services/platform/src/matching/find-partners.ts": [2, "the keys of a batch"],
  "services/platform/src/matching/pair-halves.ts": [2, "the pairs of a batch"],
  "services/platform/src/matching/store-records.ts": [2, "the records of a batch"],
  "services/platform/src/retailers/retailer-rows.ts": [3, "a page, records that people make, its own row"],
  "services/rewards/src/store/late-retroactive.ts": [1, "one row"],
  "services/rewards/src/store/stamps.ts": [1, "the keys of a batch"],
  "services/webhooks/src/handle-webhook-test.ts": [1, "one event"],
  "services/console/src/sessions.ts": [2, "sessions of people, gone over every minute"],
};

t.test("statements - the work of each is bounded, for any backlog", async (t) => {
  const unbounded: Record<string, number> = {};
  for (const { file, strings } of templates) {
    const path = file.slice(ROOT.length);
    const text = strings.join(" ? ").replace(/\s+/g, " ");
    if (!/^\s*(?:select|insert|update|delete|with)\b/.test(text) || !/\b(?:from|update|into)\b/.test(text))
      continue;
    // Statements of migrations and of the command line do not run under load.
    if (/^packages\/(?:postgres|cli)\//.test(path) || BOUNDED.test(text)) continue;
    unbounded[path] = (unbounded[path] ?? 0) + 1;
  }
  t.strictSame(
    unbounded,
    Object.fromEntries(Object.entries(BOUNDED_OTHERWISE).map(([path, [statements]]) => [path, statements])),
  );
});
