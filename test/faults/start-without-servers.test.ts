/**
 * Services that start before their servers, or while those are gone: they wait, name what they wait for, and
 * begin by themselves.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { SERVICE_NAMES, type ServiceName } from "#contract";
import { freePort } from "#embedded";
import { migratePlatform } from "#platform-db";
import { closeStore, connectStore } from "#postgres";
import { migratePublisher } from "#publisher-db";
import { makeEncryptionKey } from "#runtime";
import { isolation, privatePostgres, privateServers, testServers, waitFor } from "#test-support";

const PATIENCE = { deadlineMs: 60_000 };
const CONNECTIONS = 20;

interface Waiter {
  readonly name: ServiceName;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
  /** Status of an operations endpoint, and its body. */
  ops(path: string): Promise<{ status: number; body: string }>;
}

/** One service alone, as a supervisor would start it. */
async function startWaiter(t: Test, name: ServiceName, env: NodeJS.ProcessEnv): Promise<Waiter> {
  const opsPort = await freePort();
  const main = fileURLToPath(new URL(`../../services/${name}/src/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...env, STAMPEDE_OPS_PORT: String(opsPort) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(child, "exit").then(([code]) => code as number | null);
  const ops = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${opsPort}${path}`);
    return { status: response.status, body: await response.text() };
  };
  return { name, child, ended, output: () => output, ops };
}

/** The server that it says it waits for. */
async function startedCheck({ ops }: Waiter): Promise<string> {
  const { body } = await ops("/readyz?verbose");
  return (JSON.parse(body) as { checks: { started: { detail: string } } }).checks.started.detail;
}

async function becomes(
  waiters: readonly Waiter[],
  what: string,
  holds: (waiter: Waiter) => Promise<boolean>,
) {
  await Promise.all(
    waiters.map((waiter) =>
      waitFor(() => holds(waiter), { ...PATIENCE, message: `${waiter.name} ${what}: ${waiter.output()}` }),
    ),
  );
}

t.setTimeout(400_000);

t.test("services wait for NATS, then for PostgreSQL, and end cleanly while they wait", async (t) => {
  const servers = await privateServers();
  t.teardown(() => servers.remove());
  const databaseUrl = await servers.postgres.databaseUrl();
  await Promise.all([servers.postgres.kill(), servers.nats.kill()]);
  const env = {
    DATABASE_URL: databaseUrl,
    NATS_URL: servers.nats.url,
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_PLATFORM_PORT: "0",
    STAMPEDE_CONSOLE_PORT: "0",
    STAMPEDE_STREAM_MAX_BYTES: String(2 ** 24),
    STAMPEDE_LINK_MAX_BYTES: String(2 ** 24),
  };
  const waiters = await Promise.all(SERVICE_NAMES.map((name) => startWaiter(t, name, env)));
  await becomes(waiters, "waits for NATS", async (waiter) =>
    /^it waits for NATS \(NATS does not answer at/.test(await startedCheck(waiter)),
  );
  for (const { name, ops } of waiters) {
    t.equal((await ops("/livez")).status, 200, `${name} is alive`);
    t.equal((await ops("/readyz")).status, 503, `${name} is not ready`);
  }
  const [first, ...others] = waiters as [Waiter, ...Waiter[]];
  first.child.kill("SIGTERM");
  t.equal(await first.ended, 0, `${first.name} ends while it waits for NATS`);

  await servers.nats.start();
  await becomes(others, "waits for PostgreSQL", async (waiter) =>
    /^it waits for PostgreSQL \(.*ECONNREFUSED/.test(await startedCheck(waiter)),
  );
  const [second, ...rest] = others as [Waiter, ...Waiter[]];
  second.child.kill("SIGTERM");
  t.equal(await second.ended, 0, `${second.name} ends while it waits for PostgreSQL`);

  await servers.postgres.start();
  const late = await startWaiter(t, first.name, env);
  await becomes([...rest, late], "is ready", async ({ ops }) => (await ops("/readyz")).status === 200);
  for (const { name, child, ended } of [...rest, late]) {
    child.kill("SIGTERM");
    t.equal(await ended, 0, `${name} ends`);
  }
});

t.test(
  "a service without a connection left waits for one; without migrations it ends with a line",
  async (t) => {
    const postgres = await privatePostgres({
      max_connections: String(CONNECTIONS),
      superuser_reserved_connections: "0",
    });
    t.teardown(() => postgres.remove());
    const databaseUrl = await postgres.emptyDatabaseUrl();
    const env = {
      DATABASE_URL: databaseUrl,
      NATS_URL: (await testServers()).natsUrl,
      STAMPEDE_STREAM_PREFIX: isolation(),
      STAMPEDE_STREAM_MAX_BYTES: String(2 ** 24),
      STAMPEDE_LINK_MAX_BYTES: String(2 ** 24),
      STAMPEDE_PLATFORM_PORT: "0",
      STAMPEDE_CONSOLE_PORT: "0",
    };
    const unmigrated = await startWaiter(t, "platform", env);
    t.equal(await unmigrated.ended, 1);
    t.match(
      unmigrated.output(),
      /^stampede platform: the platform's database lacks migrations .*stampede migrate/m,
    );

    await migratePublisher(databaseUrl);
    await migratePlatform(databaseUrl);
    const greedy = connectStore({ url: databaseUrl, max: CONNECTIONS, applicationName: "greedy" });
    t.teardown(() => closeStore(greedy));
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let taken = 0;
    const hold = () =>
      greedy.begin(async (sql) => {
        await sql`select 1`;
        taken++;
        await held;
      });
    const holding = Promise.all(Array.from({ length: CONNECTIONS }, hold));
    await waitFor(() => taken === CONNECTIONS, { message: "all connections are taken" });
    const waiter = await startWaiter(t, "platform", env);
    await becomes([waiter], "waits for a connection", async () =>
      /^it waits for PostgreSQL \(.*too many clients/.test(await startedCheck(waiter)),
    );
    letGo();
    await holding;
    await closeStore(greedy);
    await becomes([waiter], "is ready", async ({ ops }) => (await ops("/readyz")).status === 200);
    waiter.child.kill("SIGTERM");
    t.equal(await waiter.ended, 0);
  },
);
