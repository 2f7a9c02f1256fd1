/** What the environment asks for and cannot be done, and servers that it names. */
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { closeStore, connectStore } from "#postgres";
import { makeEncryptionKey } from "#runtime";
import { testServers } from "#test-support";
import { dataDirectory, readiness, startInstance, untilNoneLeft } from "./test-instance.ts";

t.setTimeout(400_000);

t.test("standalone - a failed start is one clear line and exit 1, and leaves nothing running", async (t) => {
  const [port, another] = [await takenPort(t), await takenPort(t)];
  const dataDir = dataDirectory(t);
  writeFileSync(join(dataDir, "file"), "");
  const cases: Array<[name: string, env: NodeJS.ProcessEnv, line: RegExp]> = [
    [
      "publisher port",
      { STAMPEDE_HTTP_PORT: port },
      new RegExp(`127.0.0.1:${port} is taken: .*STAMPEDE_HTTP_PORT`),
    ],
    [
      "platform port",
      { STAMPEDE_PLATFORM_PORT: port },
      new RegExp(`127.0.0.1:${port} is taken: .*STAMPEDE_PLATFORM_PORT`),
    ],
    [
      "operations port",
      { STAMPEDE_OPS_PORT: port },
      new RegExp(`127.0.0.1:${port} is taken: .*STAMPEDE_OPS_PORT`),
    ],
    [
      "several ports together",
      { STAMPEDE_HTTP_PORT: port, STAMPEDE_OPS_PORT: another },
      new RegExp(`:${port} is taken: .*STAMPEDE_HTTP_PORT .*; .*:${another} is taken: .*STAMPEDE_OPS_PORT`),
    ],
    [
      "data directory",
      { STAMPEDE_DATA_DIR: join(dataDir, "file", "x") },
      /cannot write to .*STAMPEDE_DATA_DIR/,
    ],
    ["wrong value", { STAMPEDE_HTTP_PORT: "many" }, /STAMPEDE_HTTP_PORT must be .* not "many"/],
    [
      "no database",
      { DATABASE_URL: "postgres://u:secret@127.0.0.1:1/d" },
      /no PostgreSQL answers at 127.0.0.1:1 \(/,
    ],
    [
      "no NATS",
      { NATS_URL: "nats://127.0.0.1:1", ...(await externalDatabase()) },
      /no NATS answers at 127.0.0.1:1 \(/,
    ],
  ];
  for (const [name, env, line] of cases) {
    const instance = startInstance(t, dataDir, env);
    t.strictSame(await instance.exited, [1, null], name);
    t.match(instance.stderr(), line, name);
    t.equal(instance.stderr().trimEnd().split("\n").length, 1, `${name}: one line`);
    t.notMatch(instance.stderr(), /secret/);
    await untilNoneLeft(dataDir);
  }
});

t.test("standalone - external servers are used instead of embedded ones, and are left running", async (t) => {
  const dataDir = dataDirectory(t);
  const { natsUrl } = await testServers();
  const { DATABASE_URL: platformUrl } = await externalDatabase();
  const { DATABASE_URL: publisherUrl } = await externalDatabase();
  // All secrets come from files: the services get their values, and not the paths as well.
  const secrets = t.testdir({
    nats: `${natsUrl}\n`,
    platform: `${platformUrl}\n`,
    database: `${publisherUrl}\n`,
    keys: `${makeEncryptionKey(new Date())}\n`,
  });
  const env = {
    STAMPEDE_STREAM_PREFIX: "EXTERNAL",
    NATS_URL_FILE: join(secrets, "nats"),
    STAMPEDE_PLATFORM_DATABASE_URL_FILE: join(secrets, "platform"),
    DATABASE_URL_FILE: join(secrets, "database"),
    STAMPEDE_ENCRYPTION_KEYS_FILE: join(secrets, "keys"),
  };
  const instance = startInstance(t, dataDir, env);
  const run = await instance.ready();
  t.equal(run.databaseUrl, publisherUrl);
  t.equal(run.platformDatabaseUrl, platformUrl);
  t.strictSame(await schemasOf(publisherUrl), ["public"]);
  t.strictSame(
    await schemasOf(platformUrl),
    ["platform"],
    "the platform's tables are in its own database only",
  );
  t.match((await readiness(run.opsUrl)).status, 200);
  t.notOk(existsSync(join(dataDir, "postgres")));
  t.notOk(existsSync(join(dataDir, "nats")));
  t.notOk(existsSync(join(dataDir, "encryption-key")));
  instance.process.kill("SIGTERM");
  t.strictSame(await instance.exited, [0, null], "SIGTERM ends it as well");
  await untilNoneLeft(dataDir);
});

/** The number of a port on which something listens until the test ends. */
async function takenPort(t: Pick<Test, "teardown">): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return String((server.address() as { port: number }).port);
}

async function externalDatabase(): Promise<{ DATABASE_URL: string }> {
  return { DATABASE_URL: await (await testServers()).emptyDatabaseUrl() };
}

/** The schemas of a database that have tables. */
async function schemasOf(url: string): Promise<string[]> {
  const store = connectStore({ url, max: 1, applicationName: "test" });
  try {
    const rows = await store<{ name: string }[]>`
      select distinct schemaname as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`;
    return rows.map(({ name }) => name);
  } finally {
    await closeStore(store);
  }
}
