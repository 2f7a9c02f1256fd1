/**
 * The whole pipeline with a database role and a NATS user for each service, and TLS to both servers: everything works, and
 * the servers allow no more than docs/operations/roles.md and deploy/nats/README.md say.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { EVENT_TYPES } from "#contract";
import { NATS_USERS } from "#nats";
import { closeStore, connectStore, migrateSet, migrationsDirectory, type Store } from "#postgres";
import {
  applyRoles,
  asRole,
  type DatabaseRole,
  type ProcessName,
  PublisherClient,
  type SecuredServers,
  securedServers,
  startWebhookReceiver,
  waitFor,
} from "#test-support";
import { Visitor } from "../../../services/console/src/test-console.ts";
import { raiseSettledOrder } from "../../../services/ingest/src/batch/settled-order.ts";
import { findOpenWriters } from "../../../services/ingest/src/open-writers.ts";
import { DISPLAY_CONTENT, LoyaltyLoop } from "../loyalty-loop.ts";
import {
  documentedRights,
  isAllowed,
  readTables,
  roleOf,
  SERVICE_ROLES,
  type ServiceRole,
  triedRights,
} from "./database-roles.ts";
import { forbidden, PARTITIONS, refusedTo } from "./nats-matrix.ts";
import { tablesTouched, type Verb } from "./tables-touched.ts";

t.setTimeout(400_000);

const CLI = fileURLToPath(new URL("../../../packages/cli/src/main.js", import.meta.url));
const PASSWORD = "p-of-every-role";
const SMALL = String(64 * 1024 * 1024);

let servers: SecuredServers;
let url: string;
const as = (role: DatabaseRole, database = url) => asRole(database, role, PASSWORD, servers.caFile);

t.before(async () => {
  servers = await securedServers(t.testdir(), { prefix: "", partitions: PARTITIONS });
  url = await servers.postgres.emptyDatabaseUrl();
  // As an operator does it: roles, then migrations as the owner, which also give the roles their rights.
  await applyRoles(url, PASSWORD);
  const migrated = stampede("migrate");
  if (migrated.status !== 0) throw new Error(`stampede migrate: ${migrated.stderr}`);
});
t.teardown(() => servers.remove());

/** Runs a command of the operator, who is the owner in the database. */
const stampede = (...args: string[]) => stampedeIn(url, ...args);

function stampedeIn(database: string, ...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: as("stampede_owner", database),
    NATS_URL: servers.natsUrl("operator"),
    STAMPEDE_NATS_CA_FILE: servers.caFile,
    STAMPEDE_STREAM_MAX_BYTES: SMALL,
    STAMPEDE_LINK_MAX_BYTES: SMALL,
  };
  return spawnSync(process.execPath, [CLI, ...args], { env, encoding: "utf8" });
}

const storeAs = (role: DatabaseRole, database?: string): Store =>
  connectStore({ url: as(role, database), max: 1, applicationName: "test" });

t.test("every service does all of its work with its own role and user, over TLS", async (t) => {
  const receiver = await startWebhookReceiver();
  t.teardown(() => receiver.close());
  const envOf = (service: ProcessName) => ({
    DATABASE_URL: as(roleOf(service)),
    NATS_URL: servers.natsUrl(service),
  });
  const loop = await LoyaltyLoop.open(t, {
    databaseUrl: as("stampede_owner"),
    natsUrl: servers.natsUrl("operator"),
    streamPrefix: "",
    env: {
      STAMPEDE_NATS_CA_FILE: servers.caFile,
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    },
    envOf,
  });
  const { pipeline, integrator } = loop;
  await pipeline.start("webhooks");
  const post = async (route: string, body: object, headers: Record<string, string> = {}) => {
    const { status, body: answer } = await integrator.post(route, body, headers);
    t.equal(status, 200, `${route} ${status === 200 ? "" : JSON.stringify(answer)}`);
    return answer;
  };

  const hook = await post("webhook/create", { url: `${receiver.url}/hook`, events: EVENT_TYPES });
  await loop.opensShop("Roastery", "ROASTERY-1");
  const program = await loop.offers("loyalty-program", {
    name: "Every second coffee",
    qualifying_threshold: 2,
    reward_config: { type: "fixed-reward", amount: 300 },
    rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
  });
  const tenth = {
    name: "A tenth",
    reward_config: { type: "percent", percent: 10, max_amount: 500 },
    rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
  };
  const deal = await loop.offers("deal", tenth);
  const base = await post("member-base/create", { name: "Customers" }, { "idempotency-key": "k-1" });
  t.strictSame(await post("member-base/create", { name: "Customers" }, { "idempotency-key": "k-1" }), base);
  const of = { member_base_id: base.id };
  const members = [{ ref: "ada", attributes: { city: "Uppsala" } }, { ref: "bo" }];
  const [ada = "", bo = ""] = (await post("member/bulk-upsert", { ...of, members })) as unknown as string[];
  const card = await loop.enrols(ada, program);
  await loop.saves(ada, deal);
  await loop.enrols(bo, program);
  await loop.saves(bo, deal);
  const first = await loop.buys(ada, "A", { merchant_id: "ROASTERY-1" });
  const second = await loop.buys(ada, "B", { merchant_id: "ROASTERY-1" });
  const ofBo = await loop.buys(bo, "C", { merchant_id: "ROASTERY-1" });
  for (const purchase of [first, second, ofBo]) await loop.paid(purchase);
  await loop.settles();
  await loop.changes(first, { cleared_at: "2026-03-02T10:00:00Z" });
  await loop.changes(second, { reverted_at: "2026-03-03T10:00:00Z" });
  await loop.settles();
  t.equal(await loop.counter(card), 1, "two stamps, redeemed, and one taken back");
  const told = await loop.events();
  const toldOf = ({ event_id }: { event_id: string }) =>
    receiver.requests.some(({ body }) => body.includes(event_id));
  await waitFor(() => told.every(toldOf), { message: "the webhook was not told of everything" });
  t.ok(told.some(({ type }) => type === "cashback.created"));

  const page = { pagination: { limit: 10 } };
  const reads: ReadonlyArray<readonly [route: string, body: object]> = [
    ["member-base/get", { id: base.id }],
    ["member-base/list", page],
    ["member/get", { ...of, ref: "ada" }],
    ["member/find", { ref: "ada", ...page }],
    ["member/list", { ...of, ...page }],
    ["transaction/list", { member_id: ada, ...page }],
    ["transaction/export", page],
    ["transaction.rejection/list", page],
    ["transaction/get", { external_id: first.event.external_id }],
    ["transaction/trace", { external_id: first.event.external_id }],
    ["loyalty-program/list", page],
    ["deal/list", page],
    ["deal/get", { id: deal }],
    ["wallet.stamp-collection/list", { member_id: ada, ...page }],
    ["wallet.clip/list", { member_id: ada, ...page }],
    ["wallet.cashback/list", { member_id: ada, ...page }],
    ["wallet.redemption/list", { member_id: ada, ...page }],
    ["qualifying-purchase/list", { stamp_collection_id: card, ...page }],
    ["id/resolve", { id: card }],
    ["id/resolve", { id: told[0]?.event_id }],
    ["webhook/get", { id: hook.id }],
    ["webhook/list", page],
    ["webhook.delivery/list", { webhook_id: hook.id, ...page }],
    ["webhook.delivery/list", { webhook_id: hook.id, order: "newest", event_id: told[0]?.event_id, ...page }],
    ["event/list", { since: first.event.authed_at, transaction_ref: first.event.external_id }],
    ["api-token/list", page],
  ];
  for (const [route, body] of reads) await post(route, body);
  const { data } = await post("webhook.delivery/list", { webhook_id: hook.id, ...page });
  await post("webhook.delivery/get", { id: data[0].id });
  for (const [route, body] of [
    ["retailer/list", page],
    ["loyalty-program/list", page],
    ["deal/list", page],
    ["deal/dry-run", { id: deal, display_content: DISPLAY_CONTENT, ...tenth }],
    ["deal/delete", { id: deal }],
  ] as const) {
    t.equal((await loop.operator.post(route, body)).status, 200, `platform ${route}`);
  }

  t.equal(
    (await post("webhook/test", { id: hook.id })).delivered,
    true,
    "the test went edge, webhooks, edge",
  );
  await post("webhook/rotate-secret", { id: hook.id, overlap_seconds: 60 });
  await post("webhook/retry", { id: hook.id });
  await post("webhook/update", { id: hook.id, state: "paused" });
  await post("webhook/update", { id: hook.id, state: "enabled" });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  // Listen before the request: replayed messages may arrive before the answer.
  const seen = receiver.requests.length;
  await post("webhook.delivery/replay", { webhook_id: hook.id, since });
  await waitFor(() => receiver.requests.length > seen, { message: "nothing was replayed" });
  await post("webhook/delete", { id: hook.id });

  const mismatch = await integrator.ingest([{ ...ofBo.event, auth_code: "OTHER1" }]);
  t.equal(mismatch.status, 409);
  const events = [{ ...ofBo.event, external_id: "later" }];
  const later = await integrator.ingest(events, { prefer: "respond-async" });
  t.equal(later.status, 202);
  const batch = async () =>
    (await integrator.post("transaction.batch/get", { id: later.body.batch_id })).body;
  await waitFor(async () => (await batch()).status !== "accepted", { message: "the batch has no outcome" });

  const token = await post("api-token/create", { access: "read", description: "" });
  const reader = new PublisherClient(pipeline.edge.url, token.secret ?? token.token);
  t.equal((await reader.post("deal/list", page)).status, 200);
  await post("api-token/revoke", { id: token.id });
  t.equal((await reader.post("deal/list", page)).status, 401, "a revocation holds for the next request");

  await post("member/bulk-delete", { ...of, refs: ["bo"] });
  await post("member-base/delete", { id: base.id });
  await pipeline.store`
    insert into deleted_members (deleted_at, member_id, due_at) values (now() - interval '62 days', gen_random_uuid(), now())`;
  const gone = async () => {
    const [row] = await pipeline.store<[{ left: number }]>`
      select (select count(*) from members where memberbase_id not in (select id from memberbases where deleted_at is null))
        + (select count(*) from deleted_members where due_at <= now()) as left`;
    return row.left === 0;
  };
  await waitFor(gone, { message: "ingest did not forget the members" });

  const console = await pipeline.start("console", {
    STAMPEDE_CONSOLE_TOKENS: pipeline.publisher.token,
    STAMPEDE_CONSOLE_PUBLISHER_URL: pipeline.edge.url,
  });
  const consoleUrl = console.url as string;
  const link = stampede("console", "link", "--user", "ada");
  t.equal(link.status, 0, link.stderr);
  const visitor = new Visitor(consoleUrl);
  t.equal((await visitor.follow(link.stdout.trim())).status, 200, "the owner's link lets a user in");
  t.equal((await visitor.post("publisher.v1/webhook/list")).status, 200);
  t.equal((await visitor.post("publisher.v1/member/get", { id: ada })).status, 404, "she was deleted");
  t.match((await visitor.post("audit")).body.data, [{ user: "ada", subject: ada, outcome: "not_found" }]);
  t.equal((await visitor.post("session/close")).status, 200);

  const verified = stampede("verify");
  t.equal(verified.status, 0, verified.stdout + verified.stderr);
  t.equal(stampede("dead-letter", "list").status, 0);
  const doctor = stampede("doctor");
  t.match(doctor.stdout, /nats[\s\S]*streams/);
  t.notMatch(doctor.stdout, /permission|refuse|certificate/, doctor.stdout);
  for (const service of pipeline.processes) {
    t.notMatch(
      service.output(),
      /permission denied|42501|does not let|NATS refuses|"level":"(?:error|fatal)"/,
      "nothing was refused",
    );
  }
});

t.test("each role may do to each table what the documents say, and nothing else", async (t) => {
  const owner = storeAs("stampede_owner");
  t.teardown(() => closeStore(owner));
  const tables = await readTables(owner);
  const documented = documentedRights();
  t.strictSame([...documented.keys()], [...tables.keys()].sort(bySchema), "the document has every table");
  const stores = SERVICE_ROLES.map((service) => [service, storeAs(roleOf(service))] as const);
  t.teardown(() => Promise.all(stores.map(([, store]) => closeStore(store))));
  for (const [service, store] of stores) {
    for (const [table, columns] of tables) {
      const tried = await triedRights(store, table, columns);
      t.equal(tried, documented.get(table)?.[service], `${service} on ${table}`);
      t.notOk(await isAllowed(store, `truncate ${table}; select 1 / 0`), `${service} truncates ${table}`);
    }
    t.notOk(await isAllowed(store, "create table public.mine (id int)"), `${service} makes a table`);
    t.notOk(await isAllowed(store, "create schema mine"), `${service} makes a schema`);
    t.notOk(
      await isAllowed(store, "alter table public.events owner to current_user"),
      `${service} takes one`,
    );
    t.notOk(await isAllowed(store, "set role stampede_owner"), `${service} becomes the owner`);
  }
});

const SECRETS: ReadonlyArray<readonly [ServiceRole, column: string, table: string]> = [
  ["edge", "sealed", "webhook_secrets"],
  ["edge", "traceparent", "events"],
  ["ingest", "secret_hash", "api_tokens"],
  ["ingest", "sealed", "webhook_secrets"],
  ["ingest", "attributes", "members"],
  ["ingest", "answer", "idempotency_keys"],
  ["ingest", "body", "events"],
  ["rewards", "identifier_6", "transactions"],
  ["rewards", "merchant_id", "transactions"],
  ["rewards", "secret_hash", "api_tokens"],
  ["webhooks", "answer", "webhook_attempts"],
  ["webhooks", "id", "transactions"],
  ["webhooks", "attributes", "members"],
  ["webhooks", "secret_hash", "api_tokens"],
  ["platform", "id", "transactions"],
  ["console", "id", "transactions"],
  ["console", "ref", "members"],
  ["console", "sealed", "webhook_secrets"],
  ["console", "body", "events"],
  ["platform", "cursor_key", "installation"],
];

t.test("secrets and personal data are closed to services that do not need them", async (t) => {
  for (const [service, column, table] of SECRETS) {
    const store = storeAs(roleOf(service));
    await t.rejects(store`select ${store(column)} from ${store(`public.${table}`)}`.then(), {
      code: "42501",
    });
    await closeStore(store);
  }
});

t.test("ingest sees the open database transactions of every role", async (t) => {
  const ingest = storeAs("stampede_ingest");
  t.teardown(() => closeStore(ingest));
  for (const service of SERVICE_ROLES) {
    const other = storeAs(roleOf(service));
    await other.begin(async (sql) => {
      const [row] = await sql<[{ writer: string }]>`
        select virtualxid as writer from pg_locks where locktype = 'virtualxid' and pid = pg_backend_pid()`;
      t.ok((await findOpenWriters(ingest, "")).includes(row.writer), service);
    });
    await closeStore(other);
  }
});

t.test("ingest raises the order of settlings, and no other service may", async (t) => {
  for (const service of SERVICE_ROLES) {
    const store = storeAs(roleOf(service));
    const raising = store.begin((sql) => raiseSettledOrder(sql, 1_000));
    if (service === "ingest") await raising;
    // The platform cannot even see the schema.
    else await t.rejects(raising, { code: /^42(501|P01)$/ }, service);
    await closeStore(store);
  }
});

t.test("a table or function of a later migration is closed to every role", async (t) => {
  const owner = storeAs("stampede_owner");
  t.teardown(() => closeStore(owner));
  await owner.script(`create table public.later (id int);
    create function public.later() returns int language sql as 'select 1';
    create table platform.later (id int)`);
  for (const service of SERVICE_ROLES) {
    const store = storeAs(roleOf(service));
    for (const statement of [
      "select * from public.later",
      "select * from platform.later",
      "insert into public.later values (1)",
      "select public.later()",
    ]) {
      t.notOk(await isAllowed(store, statement), `${service}: ${statement}`);
    }
    await closeStore(store);
  }
  await owner.script("drop table public.later; drop function public.later(); drop table platform.later");
});

t.test("the roles have every right that a statement in the code needs, and no other", async (t) => {
  const documented = documentedRights();
  const tables = new Set(documented.keys());
  for (const service of SERVICE_ROLES) {
    const { needs, mayLock } = tablesTouched(service, tables);
    for (const [table, rights] of documented) {
      const granted = new Set(rights[service].toLowerCase());
      const needed = new Set([
        ...(needs.get(table) ?? []),
        ...(BESIDE_THE_TEXT[`${service} ${table}`] ?? []),
      ]);
      for (const verb of needed)
        t.ok(granted.has(LETTER[verb]), `${service} needs ${LETTER[verb]} on ${table}`);
      for (const letter of granted) {
        const isNeeded = [...needed].some((verb) => LETTER[verb] === letter);
        t.ok(
          isNeeded || (letter === "u" && mayLock.has(table)),
          `${service} has ${letter} on ${table} and needs it`,
        );
      }
    }
  }
});

const LETTER: Readonly<Record<Verb, string>> = { r: "s", i: "i", u: "u", d: "d" };

/** Rights that no statement of the service itself shows. */
const BESIDE_THE_TEXT: Readonly<Record<string, readonly Verb[]>> = {
  // A deletion reads the columns of its condition.
  "webhooks public.webhook_attempts": ["r"],
  "ingest public.ingest_gaps": ["r"],
  // The statement gets the table's name at run time: rejected events and ignored fields are kept alike.
  "ingest public.transaction_rejections": ["r", "i", "u", "d"],
  "ingest public.ignored_fields": ["r", "i", "u", "d"],
  // Triggers on members, which run as the role that changed them.
  "edge public.deleted_members": ["i"],
  "ingest public.deleted_members": ["i"],
  "ingest public.memberbases": ["u"],
  // The statement gets the table's name at run time: ingest and the outcomes are waited for alike.
  "rewards public.ingest_positions": ["r"],
  // The statement gets the table's name at run time: it removes the rows of deleted members.
  "ingest public.clips": ["d"],
  "ingest public.stamp_collections": ["d"],
  // The trigger on webhooks, which runs as the role that changed them.
  "edge public.webhook_subscriptions": ["r", "i", "d"],
  // The statement gets the table's name at run time: the platform has its own table.
  "edge public.idempotency_keys": ["r", "i", "u"],
  "ingest public.idempotency_keys": ["r", "u", "d"],
  "platform platform.idempotency_keys": ["r", "i", "u", "d"],
  "platform platform.stream_places": ["r", "i", "u"],
  "rewards public.stream_places": ["r", "i", "u"],
  "platform platform.deals": ["r", "i", "u"],
  "platform platform.loyalty_programs": ["r", "i", "u"],
  // The triggers on programs, deals and retailers.
  "platform platform.revisions": ["i", "u"],
  // The check of the migrations puts the table's name together.
  "platform platform.schema_migrations": ["r"],
  // For a service that says at its start that the schema is older than itself.
  "edge public.schema_migrations": ["r"],
  "ingest public.schema_migrations": ["r"],
  "rewards public.schema_migrations": ["r"],
  "webhooks public.schema_migrations": ["r"],
  "console public.schema_migrations": ["r"],
  // An update reads the columns of its condition.
  "console public.console_links": ["r"],
};

t.test(
  "`stampede migrate` revokes a role's additional rights, and leaves tables of others alone",
  async (t) => {
    const admin = connectStore({ url, max: 1, applicationName: "test" });
    t.teardown(() => closeStore(admin));
    await admin.script(`grant select on public.transactions to stampede_webhooks;
    grant update (amount) on public.transactions to stampede_edge;
    create table public.theirs (id int); grant select on public.theirs to stampede_edge`);
    t.teardown(() => admin.script("drop table public.theirs"));
    const [webhooks, edge] = [storeAs("stampede_webhooks"), storeAs("stampede_edge")];
    t.teardown(() => Promise.all([closeStore(webhooks), closeStore(edge)]));
    t.ok(await isAllowed(webhooks, "select id from public.transactions"));
    t.ok(await isAllowed(edge, "update public.transactions set amount = 1 where false"));
    t.equal(stampede("migrate").status, 0);
    t.notOk(await isAllowed(webhooks, "select id from public.transactions"));
    t.notOk(await isAllowed(edge, "update public.transactions set amount = 1 where false"));
    t.ok(await isAllowed(edge, "select id from public.theirs"));
  },
);

t.test("if the server lacks a role of rights.sql, one line names the command to run", async (t) => {
  const database = await servers.postgres.emptyDatabaseUrl();
  await applyRoles(database, PASSWORD);
  const set = {
    directory: migrationsDirectory("publisher-db"),
    rightsFile: join(
      t.testdir({ "rights.sql": "grant select on members to stampede_unknown;" }),
      "rights.sql",
    ),
    lock: "migrate",
  } as const;
  await t.rejects(
    migrateSet(set, as("stampede_owner", database), () => {}),
    {
      code: "MIGRATION_FAILED",
      message: /"stampede_unknown" does not exist: run .*roles\.sql as an administrator/,
    },
  );
});

t.test("the administrator's roles.sql calls no function that another user planted in public", async (t) => {
  const database = await servers.postgres.emptyDatabaseUrl();
  const admin = connectStore({ url: database, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(admin));
  // Its arguments fit those of pg_tables better than pg_catalog.format(text, variadic "any").
  await admin.script(`
    create table public.installation (id int);
    create table public.called_by (who name);
    create function public.format(text, name, name) returns text language sql
      begin atomic insert into public.called_by values (current_user); select 'public.installation'; end`);
  await applyRoles(database, PASSWORD);
  t.strictSame(await admin`select who from called_by`, []);
  const [{ tableowner }] = await admin<[{ tableowner: string }]>`
    select tableowner from pg_tables where schemaname = 'public' and tablename = 'installation'`;
  t.equal(tableowner, "stampede_owner", "and roles.sql still does its work");
});

t.test(
  "an installation with one user for everything is taken over, and a second run changes nothing",
  async (t) => {
    const database = await servers.postgres.databaseUrl();
    for (const _ of ["first", "again"]) {
      await applyRoles(database, PASSWORD);
      const { status, stderr } = stampedeIn(database, "migrate");
      t.equal(status, 0, stderr);
      t.match(stderr, /the services' roles have the rights of this version/);
    }
    const owner = storeAs("stampede_owner", database);
    t.teardown(() => closeStore(owner));
    const foreign = await owner`
    select tablename from pg_tables where schemaname in ('public', 'platform') and tableowner <> 'stampede_owner'`;
    t.strictSame(foreign, []);
    const fresh = storeAs("stampede_owner");
    t.teardown(() => closeStore(fresh));
    const rights = (store: Store) => store`
    select n.nspname, c.relname, a.attname, coalesce(a.attacl, c.relacl)::text as acl
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where n.nspname in ('public', 'platform') and c.relkind = 'r' order by 1, 2, 3`;
    t.strictSame(await rights(owner), await rights(fresh));
  },
);

for (const user of NATS_USERS) {
  t.test(`NATS refuses ${user} all streams and subjects of others`, async (t) => {
    const asked = forbidden(user);
    t.ok(asked.publish.length > 15 && asked.subscribe.length > 10);
    const refused = await refusedTo(servers, user, asked);
    t.strictSame(
      asked.publish.filter((subject) => !refused.publish.includes(subject)),
      [],
      "published",
    );
    t.strictSame(
      asked.subscribe.filter((subject) => !refused.subscribe.includes(subject)),
      [],
      "heard",
    );
  });
}

function bySchema(a: string, b: string): number {
  const isLater = (name: string) => Number(name.startsWith("platform."));
  return isLater(a) - isLater(b) || (a < b ? -1 : 1);
}
