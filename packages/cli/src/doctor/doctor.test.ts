/**
 * `stampede doctor` against real servers: durable servers pass, and each fault, made on purpose, is one line that says what to
 * do. mistakes.test.ts makes the faults that operators make.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { connectStream, ensureTopology, type Stream, topologyOf } from "#nats";
import { closeStore, connectStore, type Store } from "#postgres";
import { createOrganisation } from "#publisher-db";
import { createLog, makeEncryptionKey, readSettings } from "#runtime";
import {
  isolation,
  type PrivateNats,
  type PrivatePostgres,
  privateServers,
  serveHttp,
  testServers,
} from "#test-support";
import { writeRunFile } from "../test-run-file.ts";
import { makeTestWebhook } from "../test-webhook.ts";
import { checkClocks } from "./check-clocks.ts";
import { checkConsole } from "./check-console.ts";
import { judgeVersion } from "./check-databases.ts";
import { checkNode, checkOpenFiles } from "./check-machine.ts";
import { ARCHIVING, complaints, disguisedNats, doctor, plainNats } from "./test-doctor.ts";

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));
const SMALL = {
  STAMPEDE_STREAM_MAX_BYTES: String(8 * 1024 * 1024),
  STAMPEDE_LINK_MAX_BYTES: String(8 * 1024 * 1024),
  // Nothing listens there.
  STAMPEDE_OPS_PORT: "1",
};
const KEYS = makeEncryptionKey(new Date()).replace(/^k\d+/, "one");

let postgres: PrivatePostgres;
let nats: PrivateNats;
let databaseUrl: string;
let store: Store;
let stream: Stream;
let prefix: string;
/** An environment in which all checks pass. */
let env: Record<string, string>;
t.before(async () => {
  const servers = await privateServers(ARCHIVING);
  ({ postgres, nats } = servers);
  t.teardown(() => servers.remove());
  databaseUrl = await postgres.databaseUrl();
  store = connectStore({ url: databaseUrl, max: 2, applicationName: "stampede-test" });
  t.teardown(() => closeStore(store));
  prefix = isolation();
  const log = createLog({ service: "test", level: "silent" });
  stream = await connectStream({ url: nats.url, name: "test", prefix, log });
  t.teardown(() => stream.close());
  env = {
    ...SMALL,
    DATABASE_URL: databaseUrl,
    NATS_URL: nats.url,
    STAMPEDE_NATS_MONITOR_URL: nats.monitorUrl,
    STAMPEDE_STREAM_PREFIX: prefix,
    STAMPEDE_ENCRYPTION_KEYS: KEYS,
    STAMPEDE_DATA_DIR: t.testdir(),
    STAMPEDE_BACKUP_DONE_FILE: fileURLToPath(import.meta.url),
  };
  await ensureTopology(stream, topologyOf(readSettings(env)));
});

const lineOf = (lines: readonly string[], check: string) =>
  lines.filter((line) => line.split(": ")[0]?.endsWith(` ${check}`)).join("\n");

t.test("doctor - a line for each check, and all is well on durable servers", async (t) => {
  const { passed, lines } = await doctor(env);
  t.ok(passed);
  t.strictSame(complaints(lines), []);
  for (const [i, line] of [
    /^ok environment: valid$/,
    /^ok node: 2\d\./,
    /^ok http adapter: node:http/,
    /^ok open files: /,
    /^ok disk: \d+ MiB free at .*; the servers are elsewhere$/,
    /^ok database: PostgreSQL 18\.\d+ at 127\.0\.0\.1:\d+\/stampede_test_/,
    /^ok database durability: fsync on, full_page_writes on, synchronous_commit on$/,
    /^ok database connections: one process of each service opens up to 46 of 5\d, others have 0: enough for 1 of each$/,
    /^ok database disk: \d+ MiB free at .*\/cluster\/data$/,
    /^ok database archive: (no segment was due yet|the last segment of the log \d+ s ago)$/,
    /^ok schema: all migrations of this version$/,
    /^ok rights: one user has everything: /,
    /^ok encryption keys: no webhook secrets yet; one seals new ones$/,
    /^ok replay: no event waits for its member$/,
    /^ok platform schema: all migrations of this version$/,
    /^ok platform rights: one user has everything: /,
    /^ok nats: nats-server 2\.14\.\d+ with JetStream at 127\.0\.0\.1:\d+$/,
    /^ok nats disk: \d+ MiB free at .*\/jetstream$/,
    /^ok nats encryption: .*: \d+ streams in .*\/jetstream are encrypted$/,
    /^ok nats durability: http:\/\/127\.0\.0\.1:\d+ syncs every write$/,
    /^ok nats max_payload: 1048576 bytes$/,
    /^ok streams: 10 of 10, as the settings require$/,
    /^ok stream owners: no process of another database says that it reads these streams/,
    /^ok clocks: this machine, PostgreSQL, NATS agree within 1 s$/,
    /^ok backup: the last one was done \d+ h ago$/,
    /^ok console: sign-in links let users in, /,
    /^ok services: none answers at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\)$/,
  ].entries()) {
    t.match(lines[i], line);
  }
  t.notMatch(lines.join("\n"), new URL(databaseUrl).password);
});

t.test("doctor - as a process: columns, the exit code, --json", async (t) => {
  const run = (args: readonly string[], given: Record<string, string>) =>
    spawnSync(process.execPath, [MAIN, "doctor", ...args], {
      env: { PATH: process.env.PATH, ...given },
      encoding: "utf8",
    });
  const well = run([], env);
  t.equal(well.status, 0, well.stderr);
  t.match(well.stdout, /^ok {4}environment {15}valid\nok {4}node /);
  t.match(well.stderr, /^\d+ ok, 0 to look at, 0 failed\n$/);
  const ill = run(["--json"], { ...env, STAMPEDE_PARTITIONS: "3" });
  t.equal(ill.status, 1);
  const report = JSON.parse(ill.stdout);
  t.equal(report.ok, false);
  t.match(
    report.checks.find(({ status }: { status: string }) => status === "fail"),
    { check: "streams", detail: /was made with 2 partitions/ },
  );
});

t.test("doctor - a wrong environment is reported, and no server is asked with half of it", async (t) => {
  const { passed, lines } = await doctor({ ...env, STAMPEDE_PARTITION: "3", NATS_URL: "x" });
  t.notOk(passed);
  t.strictSame(lines, [
    "fail environment: NATS_URL must be a URL such as nats://user:password@host:port",
    "fail environment: STAMPEDE_PARTITION is not a setting: did you mean STAMPEDE_PARTITIONS?",
  ]);
});

t.test("doctor - without servers says how to name them", async (t) => {
  const { passed, lines } = await doctor({ STAMPEDE_DATA_DIR: t.testdir(), STAMPEDE_OPS_PORT: "1" });
  t.notOk(passed);
  t.match(lineOf(lines, "database"), /^fail database: no database: set DATABASE_URL, or start .*`npm start`/);
  t.match(lineOf(lines, "nats"), /^fail nats: no NATS: set NATS_URL/);
});

t.test("doctor - if PostgreSQL is not there, the other checks go on", async (t) => {
  const gone = await doctor({ ...env, DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" });
  t.notOk(gone.passed);
  t.match(
    complaints(gone.lines).join("\n"),
    /^fail database: the database cannot be used: .*ECONNREFUSED.*: start it, or correct the host and port in its URL$/,
  );
  t.match(lineOf(gone.lines, "streams"), /^ok /, "the rest is still checked");
  t.notMatch(gone.lines.join("\n"), "hunter2");
});

t.test("doctor - reports a PostgreSQL that is too old", async (t) => {
  const server = { clock: { server: 0, asked: 0, answered: 0 }, connectionLimit: 1, otherConnections: 0 };
  const on = { fsync: "on", fullPageWrites: "on", synchronousCommit: "on" };
  const judge = (version: string, versionNumber: number) =>
    judgeVersion("database", "h/d", { ...server, ...on, version, versionNumber });
  t.match(judge("13.21", 130_021), {
    status: "fail",
    detail: "PostgreSQL 13.21 at h/d is too old: use 14 or later",
  });
  t.match(judge("14.0", 140_000), { status: "ok" });
});

t.test("doctor - reports a PostgreSQL that does not sync, and one that archives nothing", async (t) => {
  // The test run's own server is neither durable nor archived.
  const { lines, passed } = await doctor({ ...env, DATABASE_URL: await (await testServers()).databaseUrl() });
  t.notOk(passed);
  t.equal(
    lineOf(lines, "database durability"),
    "fail database durability: fsync, full_page_writes, synchronous_commit off: a crash can lose what was acknowledged; " +
      "set to on in postgresql.conf",
  );
  t.match(
    lineOf(lines, "database archive"),
    /^warn database archive: the log is not archived, .*: set archive_mode and archive_command/,
  );
});

t.test("doctor - reports a schema that is behind, ahead, edited or missing", async (t) => {
  const url = await postgres.databaseUrl();
  const own = connectStore({ url, max: 1, applicationName: "stampede-test" });
  t.teardown(() => closeStore(own));
  const given = { ...env, DATABASE_URL: url };
  const [last] = await own<{ name: string; checksum: string }[]>`
    delete from schema_migrations where name = (select max(name) from schema_migrations) returning name, checksum`;
  await own`delete from platform.schema_migrations where name like '0001%'`;
  const behind = await doctor(given);
  t.notOk(behind.passed);
  t.strictSame(complaints(behind.lines), [
    `fail schema: misses ${last?.name}: run \`stampede migrate\``,
    "fail platform schema: misses 0001_platform: run `stampede migrate`",
  ]);
  t.equal(lineOf(behind.lines, "encryption keys"), "", "not asked of a schema that may lack the table");

  await own`insert into schema_migrations (name, checksum) values (${last?.name ?? ""}, 'other')`;
  t.match(lineOf((await doctor(given)).lines, "schema"), /^fail schema: \d+\w+ edited after being applied/);
  await own`update schema_migrations set checksum = ${last?.checksum ?? ""} where checksum = 'other'`;
  await own`insert into schema_migrations (name, checksum) values ('9999_later', 'x')`;
  t.match(lineOf((await doctor(given)).lines, "schema"), /^warn schema: has 9999_later of a later version: /);
});

t.test("doctor - makes nothing if nothing is there", async (t) => {
  const url = await (await testServers()).emptyDatabaseUrl();
  const empty = isolation();
  const { passed, lines } = await doctor({ ...env, DATABASE_URL: url, STAMPEDE_STREAM_PREFIX: empty });
  t.notOk(passed);
  t.match(
    lineOf(lines, "schema"),
    /^fail schema: misses 0001_publisher, 0002_console, .*: run `stampede migrate`/,
  );
  t.match(lineOf(lines, "streams"), new RegExp(`^warn streams: missing ${empty}INGEST_0, .*${empty}DEAD: `));
  const names = await stream.manager.streams.names().next();
  t.equal(names.filter((name) => name.startsWith(empty)).length, 0);
  const own = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(own));
  const tables =
    await own`select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  t.equal(tables.length, 0);
});

t.test("doctor - reports that other programs leave too few connections", async (t) => {
  const others = Array.from({ length: 20 }, () =>
    connectStore({ url: databaseUrl, max: 1, applicationName: "another program" }),
  );
  t.teardown(() => Promise.all(others.map(closeStore)));
  await Promise.all(others.map((other) => other`select 1`));
  const { passed, lines } = await doctor(env);
  t.ok(passed);
  t.match(
    lineOf(lines, "database connections"),
    /^warn database connections: .* and others have 20: raise max_connections/,
  );
});

t.test("doctor - a separate database of the platform is checked as such", async (t) => {
  const given = { ...env, STAMPEDE_PLATFORM_DATABASE_URL: await postgres.databaseUrl() };
  const { passed, lines } = await doctor(given);
  t.ok(passed);
  t.match(lineOf(lines, "database connections"), /^ok database connections: .* up to 35 of /);
  t.match(
    lineOf(lines, "platform database connections"),
    /^ok platform database connections: .* up to 12 of /,
  );
  t.match(lineOf(lines, "platform database durability"), /^ok /);
  const apart = await doctor({
    ...env,
    DATABASE_URL: "",
    STAMPEDE_PLATFORM_DATABASE_URL: given.STAMPEDE_PLATFORM_DATABASE_URL,
  });
  t.equal(lineOf(apart.lines, "schema").split("\n").length, 1, "the publisher's schema is unknown");
});

t.test(
  "doctor - a role that may read nothing gets a line that says so, and the rest is checked",
  async (t) => {
    const role = new URL(databaseUrl);
    [role.username, role.password] = ["stampede_doctor_test", "hunter2"];
    await store`create role stampede_doctor_test login password 'hunter2'`;
    t.teardown(async () => {
      await store`drop role stampede_doctor_test`;
    });
    const { passed, lines } = await doctor({ ...env, DATABASE_URL: role.href });
    t.ok(passed);
    t.match(lineOf(lines, "database durability"), /^ok /);
    t.strictSame(complaints(lines), [
      "warn schema: unknown, permission denied for table schema_migrations: run doctor as the role that migrates",
      "warn encryption keys: unknown, permission denied for table webhook_secrets: run doctor as the role that migrates",
      "warn replay: unknown, permission denied for table replay_rejections: run doctor as the role that migrates",
      "warn platform schema: unknown, permission denied for schema platform: run doctor as the role that migrates",
    ]);
  },
);

t.test("doctor - reports a key that is lost, missing, or older than the newest", async (t) => {
  t.teardown(async () => {
    await store`delete from webhooks`;
  });
  const other = makeEncryptionKey(new Date()).replace(/^k\d+/, "two");
  const { id } = await createOrganisation(store, { id: uuidv7(), name: "test" });
  await makeTestWebhook(store, id, KEYS);
  const keysLine = async (keys: string) =>
    lineOf((await doctor({ ...env, STAMPEDE_ENCRYPTION_KEYS: keys })).lines, "encryption keys");
  t.equal(await keysLine(KEYS), "ok encryption keys: the newest 1 webhook secrets open");
  t.match(
    await keysLine(`${other},${KEYS}`),
    /^ok .* open; 1 under an older key: `stampede secrets rotate` moves them$/,
  );
  t.match(
    await keysLine(""),
    /^fail .*STAMPEDE_ENCRYPTION_KEYS is not set, and webhook secrets are sealed with one/,
  );
  await makeTestWebhook(store, id, other);
  t.equal(
    await keysLine(KEYS),
    "fail encryption keys: 1 of the 2 newest webhook secrets do not open (sealed with two): add the lost key to " +
      "STAMPEDE_ENCRYPTION_KEYS, or give the webhooks new secrets",
  );
  // Another key under the name of the lost one.
  const renamed = makeEncryptionKey(new Date()).replace(/^k\d+/, "two");
  t.match(await keysLine(`${renamed},${KEYS}`), /^fail encryption keys: 1 of the 2 .* \(sealed with two\)/);
});

t.test("doctor - reports streams that are not as the settings require", async (t) => {
  const sizes = await doctor({ ...env, STAMPEDE_LINK_MAX_BYTES: String(16 * 1024 * 1024) });
  t.ok(sizes.passed);
  t.match(
    lineOf(sizes.lines, "streams"),
    /^warn streams: \w+PLATFORM_TX_0 and 5 others: each has max_bytes 4194304, not 8388608 \(STAMPEDE_LINK_MAX_BYTES\): the next start/,
  );
  const { manager } = stream;
  const strange = isolation();
  const size = { max_bytes: 1024 * 1024 };
  await manager.streams.add({
    name: `${strange}INGEST_0`,
    subjects: [`${strange}ingest.0`],
    storage: "memory",
    retention: "limits",
    ...size,
  });
  await manager.streams.add({
    name: `${strange}OUTCOMES_1`,
    subjects: [`${strange}outcomes.1`],
    retention: "workqueue",
    ...size,
  });
  await manager.streams.add({
    name: `${strange}SETTLEMENT_0`,
    subjects: [`${strange}settlement.0`],
    retention: "limits",
    discard: "old",
    ...size,
  });
  const { lines, passed } = await doctor({ ...env, STAMPEDE_STREAM_PREFIX: strange });
  t.notOk(passed);
  for (const line of [
    /^fail streams: \w+INGEST_0 is kept in memory and is lost when the server ends: /m,
    /^fail streams: \w+OUTCOMES_1 has retention workqueue, not limits, which NATS cannot change: /m,
    /^fail streams: \w+SETTLEMENT_0 drops its oldest messages when it is full: set its discard policy to new/m,
    /^warn streams: missing \w+INGEST_1, \w+PLATFORM_TX_0, \w+PLATFORM_TX_1, \w+OUTCOMES_0, \w+SETTLEMENT_1, \w+CONFIG, \w+DEAD: `stampede migrate` or/m,
  ]) {
    t.match(lineOf(lines, "streams"), line);
  }
});

t.test("doctor - reports a NATS server that is too old, or refuses our messages", async (t) => {
  const line = async (disguise: (greeting: string) => string, check: string) => {
    const url = new URL(nats.url);
    url.port = String(await disguisedNats(t, nats.port, disguise));
    const { passed, lines } = await doctor({ ...env, NATS_URL: url.href });
    t.notOk(passed);
    return lineOf(lines, check);
  };
  t.match(
    await line((greeting) => greeting.replace(/"version":"[^"]*"/, '"version":"2.9.25"'), "nats"),
    /^fail nats: nats-server 2\.9\.25 cannot sync every write/,
  );
  t.equal(
    await line(
      (greeting) => greeting.replace(/"max_payload":\d+/, '"max_payload":65536'),
      "nats max_payload",
    ),
    "fail nats max_payload: 65536 bytes, and messages may have 1048576: set max_payload: 1048576 in nats.conf",
  );
});

t.test(
  "doctor - reports a NATS server that does not sync or encrypt, has no JetStream, or is unknown",
  async (t) => {
    const lazy = await plainNats(t, ["-js", "-sd", t.testdir()]);
    const log = createLog({ service: "test", level: "silent" });
    const streams = await connectStream({ url: lazy.url, name: "test", prefix, log });
    await ensureTopology(streams, topologyOf(readSettings(env)));
    await streams.close();
    const given = { ...env, NATS_URL: lazy.url, STAMPEDE_NATS_MONITOR_URL: lazy.monitorUrl };
    const { passed, lines } = await doctor(given);
    t.notOk(passed);
    t.match(
      lineOf(lines, "nats durability"),
      /^fail nats durability: the server at http:\S+ does not sync every write: .*; set `sync_interval: always` in the jetstream block/,
    );
    t.match(
      lineOf(lines, "nats encryption"),
      /^warn nats encryption: 10 of 10 streams in .* are in clear: set cipher and key in the jetstream block/,
    );
    const copies = await doctor({ ...given, STAMPEDE_STREAM_REPLICAS: "3" });
    t.match(lineOf(copies.lines, "nats durability"), /^warn .* if all lose power at once/);
    t.match(
      lineOf(copies.lines, "streams"),
      /^warn streams: \w+INGEST_0 and 9 others: each has 1 copies, not 3: /,
    );
    const silent = await doctor({
      ...env,
      STAMPEDE_NATS_MONITOR_URL: `${nats.monitorUrl},http://127.0.0.1:1`,
    });
    t.match(lineOf(silent.lines, "nats durability"), /^ok /, "each server has a line");
    t.match(
      complaints(silent.lines).join("\n"),
      /^warn nats durability: unknown: http:\/\/127\.0\.0\.1:1 does not answer .*: start it, or correct STAMPEDE_NATS_MONITOR_URL$/,
    );

    const bare = await plainNats(t, []);
    const without = await doctor({ ...env, NATS_URL: bare.url });
    t.match(
      lineOf(without.lines, "nats"),
      /^fail nats: the NATS server at 127\.0\.0\.1:\d+ has no JetStream: start it with -js/,
    );
  },
);

t.test("doctor - reports a wrong clock", async (t) => {
  const late = await doctor(env, () => Date.now() - 20_000);
  t.ok(late.passed);
  t.match(
    lineOf(late.lines, "clocks"),
    /^warn clocks: this machine and (PostgreSQL|NATS) are (19|2\d)\.\d s apart: have NTP set them$/,
  );
  const reading = (of: string, server: number, answered: number) => ({ of, server, asked: 0, answered });
  t.match(checkClocks([reading("PostgreSQL", 0, 0), reading("NATS", -90_000, 0)]), {
    status: "fail",
    detail: "this machine and NATS are 90.0 s apart: have NTP set them",
  });
  t.match(checkClocks([reading("PostgreSQL", 0, 0), reading("NATS", 2_000, 4_000)]), { status: "ok" });
});

t.test("doctor - reports a machine with too few resources", async (t) => {
  t.match(checkNode(">=20.18.1", "20.18.0"), { status: "fail", detail: /install 20\.18\.1 or later/ });
  t.match(checkNode(">=20.18.1", "22.1.0"), { status: "ok" });
  t.match(checkOpenFiles(readSettings({}), 512), {
    status: "fail",
    detail: /^512 at most: raise the hard limit/,
  });
  const limited = ["-c", `ulimit -n 2000 && exec "$0" "$1" doctor`, process.execPath, MAIN];
  const given = { PATH: process.env.PATH, ...env };
  const { stdout } = spawnSync("sh", limited, { env: given, encoding: "utf8" });
  t.match(stdout, /^warn +open files +2000 at most, and a service may need 4072: /m);
  const huge = await doctor({
    STAMPEDE_DATA_DIR: join(t.testdir(), "not", "made"),
    STAMPEDE_STREAM_MAX_BYTES: String(2 ** 50),
    STAMPEDE_OPS_PORT: "1",
  });
  t.match(
    lineOf(huge.lines, "disk"),
    /^warn disk: \d+ MiB free at .*, and streams and database may take \d+ MiB: free/,
  );
});

t.test("doctor - reports running services that are not ready or do not answer", async (t) => {
  let ready = false;
  const checks = { nats: { ok: true, detail: "connected" }, database: { ok: false, detail: "no answer" } };
  const { port } = await serveHttp(t, (_request, response) => {
    response.writeHead(ready ? 200 : 503).end(JSON.stringify({ ready, checks }));
  });
  const given = { ...env, STAMPEDE_OPS_PORT: String(port) };
  const not = await doctor(given);
  t.notOk(not.passed);
  t.match(
    lineOf(not.lines, "services"),
    /^fail services: not ready at http:\/\/127\.0\.0\.1:\d+: database: no answer$/,
  );
  ready = true;
  t.match(lineOf((await doctor(given)).lines, "services"), /^ok services: ready at /);

  const dataDir = t.testdir();
  writeRunFile(dataDir, { databaseUrl, natsUrl: nats.url, platformDatabaseUrl: databaseUrl });
  const instance = await doctor({ ...SMALL, STAMPEDE_DATA_DIR: dataDir, STAMPEDE_STREAM_PREFIX: prefix });
  t.match(
    lineOf(instance.lines, "services"),
    /^fail services: process \d+ runs and does not answer at http:\/\/127\.0\.0\.1:1 \(ECONNREFUSED\): restart it$/,
  );
});

t.test("doctor - says who can sign in to the console, and warns of one that is open to all", async (t) => {
  const found = (console: Record<string, string>) => checkConsole(readSettings(console), undefined);
  t.match(found({}), {
    status: "ok",
    detail: /^sign-in links let users in, at 127\.0\.0\.1:8070\/ on this machine only; without /,
  });
  const wide = { STAMPEDE_CONSOLE_HOST: "0.0.0.0" };
  t.match(found(wide), {
    status: "fail",
    detail: /^STAMPEDE_CONSOLE_HOST is 0\.0\.0\.0, which others can reach: /,
  });
  const proxied = {
    ...wide,
    STAMPEDE_CONSOLE_PROXIES: "10.0.0.0/8",
    STAMPEDE_CONSOLE_ORIGIN: "https://bank.example",
    STAMPEDE_CONSOLE_GROUPS: "ops=operator",
  };
  t.match(found(proxied), {
    status: "warn",
    detail: /^proxies at 10\.0\.0\.0\/8 authenticate the users of https:\/\/bank\.example\/, /,
  });
  t.match(found({ ...proxied, STAMPEDE_CONSOLE_TOKENS: "x" }), { status: "ok" });
});

t.test("doctor - if NATS is not there, the other checks go on", async (t) => {
  const { passed, lines } = await doctor({ ...env, NATS_URL: "nats://127.0.0.1:1" });
  t.notOk(passed);
  t.strictSame(complaints(lines), [
    "fail nats: NATS does not answer at 127.0.0.1:1: start it, or set NATS_URL",
  ]);
  t.match(lineOf(lines, "clocks"), /^ok clocks: this machine, PostgreSQL agree/);
});
