import { type ExecFileOptions, execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { closeStore, connectStore } from "#postgres";
import { makeEncryptionKey } from "#runtime";
import { readExposition, testServers, waitFor } from "#test-support";
import { send, Visitor } from "../../console/src/test-console.ts";
import { dataDirectory, type Instance, processesOf, startInstance } from "./test-instance.ts";

t.setTimeout(400_000);

const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
// The same line as in docs/operations/commands.md, `stampede console link`.
const STAMPEDE = fileURLToPath(new URL("../../../packages/cli/src/main.js", import.meta.url));

const noneLeft = { message: "no process is left" };

async function readiness(
  opsUrl: string,
): Promise<{ status: number; checks: Record<string, { detail: string }> }> {
  const response = await fetch(`${opsUrl}/readyz?verbose`);
  const { checks } = (await response.json()) as { checks: Record<string, { detail: string }> };
  return { status: response.status, checks };
}

/**
 * Runs a program to its end while this process goes on. `spawnSync` would stop it: servers would close its idle
 * connections meanwhile, and its next request would fail.
 */
function runProgram(program: string, args: readonly string[], options: ExecFileOptions = {}) {
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(program, args, { ...options, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
}

async function interrupt(instance: Instance): Promise<void> {
  instance.process.kill("SIGINT");
  t.strictSame(await instance.exited, [0, null]);
}

/** The command in the ready block, as a person would copy it. */
function pasted(block: string): string {
  const lines = block.split("\n");
  const first = lines.findIndex((line) => line.startsWith("  publisher()"));
  return lines.slice(first, lines.indexOf("", first)).join("\n");
}

t.test(
  "standalone - a whole life: first start, second start, crashes of every part and of the all-in-one itself",
  async (t) => {
    const dataDir = dataDirectory(t);
    const moved = `${dataDir}-moved`;
    t.teardown(() => rmSync(moved, { recursive: true, force: true }));
    const hasCurl = (await runProgram("curl", ["--version"])).status === 0;

    await t.test("first start - everything is up, and only its owner can read the token", async (t) => {
      const instance = startInstance(t, dataDir);
      const run = await instance.ready();
      t.equal(run.pid, instance.process.pid);
      for (const file of [run.tokenFile, run.platformTokenFile]) {
        t.equal(statSync(file).mode & 0o777, 0o600);
      }
      t.equal(statSync(join(dataDir, "run.json")).mode & 0o777, 0o600);
      const command = (...args: readonly string[]) =>
        runProgram(process.execPath, [STAMPEDE, ...args], { env: { STAMPEDE_DATA_DIR: dataDir } });
      const config = await command("config", "--json");
      t.match(config.stderr, `process ${run.pid}, which runs on ${dataDir}`);
      const settings = JSON.parse(config.stdout) as Array<{ key: string; value: unknown }>;
      t.match(Object.fromEntries(settings.map(({ key, value }) => [key, value])), {
        DATABASE_URL: "set",
        STAMPEDE_DATA_DIR: dataDir,
        STAMPEDE_HTTP_PORT: Number(new URL(run.publisherUrl).port),
        STAMPEDE_OPS_PORT: Number(new URL(run.opsUrl).port),
        STAMPEDE_ENCRYPTION_KEYS: "set",
        STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
        STAMPEDE_CONSOLE_PORT: Number(new URL(run.consoleUrl).port),
        STAMPEDE_CONSOLE_TOKENS: "set",
        STAMPEDE_CONSOLE_PLATFORM_TOKEN: "set",
        STAMPEDE_CONSOLE_OPS_URLS: [run.opsUrl],
      });
      await t.test("the console's link is the first line, and its page shows the data", async (t) => {
        const first = /ready, after [\d.]+ s\.\n\n {2}console {8}(http:\S+#link=[\w-]{43}) /;
        const link = first.exec(instance.stdout())?.[1] ?? "";
        t.ok(link.startsWith(run.consoleUrl), instance.stdout());
        const visitor = new Visitor(run.consoleUrl);
        t.equal((await visitor.follow(link)).status, 200);
        t.match((await visitor.post("session")).body, {
          role: "administrator",
          organisations: [{ name: "default" }],
          platform: true,
        });
        t.equal((await visitor.post("publisher.v1/webhook/list")).status, 200);
        t.equal((await visitor.post("platform.v1/retailer/list")).status, 200);
        const { headers, status } = await send(`${run.publisherUrl}/`, "GET", {});
        t.match({ status, location: headers.location }, { status: 302, location: run.consoleUrl });
        const another = await command("console", "link", "--role", "operator");
        t.equal((await visitor.follow(another.stdout.trim())).status, 200, another.stderr);
        t.match((await visitor.post("session")).body, { role: "operator" });
        const support = await command("console", "link", "--role", "support", "--organisation", "default");
        t.equal((await visitor.follow(support.stdout.trim())).status, 200, support.stderr);
        const alone = await command("console", "link", "--role", "support");
        t.match(alone, { status: 1, stderr: /--role support needs --organisation/ });
      });
      const checks = {
        "edge.nats": { detail: /; fsync mode: always$/ },
        "ingest.nats": {},
        "platform.http": {},
        "rewards.nats": {},
        "rewards.database": {},
        "webhooks.database": {},
        "console.http": {},
      };
      t.match(await readiness(run.opsUrl), { status: 200, checks });
      const metrics = await (await fetch(`${run.opsUrl}/metrics`)).text();
      t.match(metrics, /^stampede_child_up\{child="PostgreSQL",service="standalone"\} 1$/m);
      for (const service of ["standalone", "edge", "ingest", "platform", "rewards", "webhooks", "console"])
        t.match(metrics, new RegExp(`^stampede_ready\\{service="${service}"\\} 1$`, "m"));
      t.match(metrics, /^stampede_build_info\{.*service="edge"\} 1$/m);
      t.match(metrics, /^stampede_build_info\{.*service="ingest"\} 1$/m);
      t.match(metrics, /^stampede_rewards_config_messages_total\{.*service="rewards"\} 0$/m);
      t.strictSame(readExposition(metrics, "text").faults, []);
      const openMetrics = await fetch(`${run.opsUrl}/metrics`, {
        headers: { accept: "application/openmetrics-text;version=1.0.0" },
      });
      t.strictSame(readExposition(await openMetrics.text(), "openmetrics").faults, []);
      if (hasCurl) {
        for (const round of ["first", "second"]) {
          // Started elsewhere than in the checkout: a pasted command outlives a `cd`.
          const paste = await runProgram("sh", ["-c", pasted(instance.stdout())], { cwd: tmpdir() });
          t.equal(paste.status, 0, `${round} paste: ${paste.stderr}`);
          const [ingested = "", stored = ""] = paste.stdout.split(/(?<=\})(?=\{)/);
          t.match(JSON.parse(ingested), { status: "processed", accepted: 1 });
          t.match(JSON.parse(stored), { state: "authorized", amount: 1250 });
        }
        const helper = pasted(instance.stdout()).split("\n").slice(0, 2).join("\n");
        for (const name of ["one", "two"]) {
          const script = `${helper}\npublisher member-base/create '{"name":"${name}"}'`;
          const { stdout } = await runProgram("sh", ["-c", script]);
          t.equal(JSON.parse(stdout).name, name, "the function creates any record");
        }
      }
      for (const [url, status] of [
        ["http://localhost:9000/hooks", 200],
        ["http://127.0.0.1:9000/hooks", 200],
        ["http://10.0.0.1:9000/hooks", 400],
        ["http://example.com/hooks", 400],
      ] as const) {
        const created = await fetch(`${run.publisherUrl}/publisher.v1/webhook/create`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${readFileSync(run.tokenFile, "utf8").trim()}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ url, events: ["cashback.created"] }),
        });
        t.equal(created.status, status, `a webhook to ${url}`);
      }
      const listed = await fetch(`${run.platformUrl}/platform.v1/retailer/list`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${readFileSync(run.platformTokenFile, "utf8").trim()}`,
          "content-type": "application/json",
        },
        body: "{}",
      });
      t.match(await listed.json(), { data: [], page: { more: false } });
      t.match(instance.stdout(), `${run.platformUrl}/platform.v1`);
      t.match(instance.stdout(), run.platformTokenFile);
      t.equal(instance.stderr(), "");
      await interrupt(instance);
      t.notOk(existsSync(join(dataDir, "run.json")));
      t.notOk(existsSync(join(dataDir, "lock")));
      await waitFor(() => processesOf(dataDir).length === 0, noneLeft);
    });

    const token = readFileSync(join(dataDir, "token"), "utf8").trim();
    const platformToken = readFileSync(join(dataDir, "platform-token"), "utf8").trim();

    await t.test("second start - keeps its data; a child that is killed is started again", async (t) => {
      const instance = startInstance(t, dataDir);
      const run = await instance.ready();
      t.equal(readFileSync(run.tokenFile, "utf8").trim(), token);
      t.equal(readFileSync(run.platformTokenFile, "utf8").trim(), platformToken);
      const response = await fetch(`${run.publisherUrl}/publisher.v1/member-base/list`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: "{}",
      });
      const { data } = (await response.json()) as { data: Array<{ name: string }> };
      if (hasCurl) t.match(data[0], { name: "First steps" });

      const second = startInstance(t, dataDir);
      t.strictSame(await second.exited, [1, null]);
      t.match(
        second.stderr(),
        new RegExp(`^stampede: Stampede already runs on .* \\(process ${run.pid}, at http:.*\\n$`),
      );

      const before = (await readiness(run.opsUrl)).checks;
      for (const child of ["edge", "ingest", "platform", "rewards", "webhooks", "NATS", "PostgreSQL"]) {
        const check = `standalone.${child}`;
        const pid = Number(before[check]?.detail.replace("process ", ""));
        process.kill(pid, "SIGKILL");
        await waitFor(() => instance.stdout().includes(`${child} is back`), {
          message: `${child} is back`,
        });
      }
      const isReady = async (): Promise<boolean> => (await readiness(run.opsUrl)).status === 200;
      await waitFor(isReady, { message: "ready again" });
      t.match(
        await (await fetch(`${run.opsUrl}/metrics`)).text(),
        /^stampede_child_restarts_total\{child="edge".*\} 1$/m,
      );

      instance.process.kill("SIGKILL");
      await instance.exited;
      await waitFor(() => processesOf(dataDir).length === 0, noneLeft);
    });

    const third =
      "third start - works after the kill of the second; without its data directory it stops, and says so";
    await t.test(third, async (t) => {
      const instance = startInstance(t, dataDir);
      await instance.ready();
      renameSync(dataDir, moved);
      t.strictSame(await instance.exited, [1, null]);
      t.match(
        instance.stderr(),
        /^stampede: the data directory .* was moved, removed or taken over .*: it stops\./m,
      );
      t.notOk(existsSync(join(dataDir, "postgres", "cluster")), "no new database: its place stays empty");
      await waitFor(() => processesOf(dataDir).length === 0, noneLeft);
    });

    await t.test("fourth start - by the command of README.md, where the directory is now", async (t) => {
      const [, command = ""] = /^```sh\n(.*?)\n```$/ms.exec(README) ?? [];
      t.equal(command, "npm start");
      // The folder in which npm writes a log of each run.
      const npm = { npm_config_cache: join(moved, "npm"), npm_config_update_notifier: "false" };
      const instance = startInstance(t, moved, npm, ["npm", "start"]);
      const run = await instance.ready();
      t.equal(run.tokenFile, join(moved, "token"));
      await interrupt(instance);
      await waitFor(() => processesOf(moved).length === 0, noneLeft);
    });

    await t.test("an interrupted start ends, exits 0 and leaves nothing", async (t) => {
      const instance = startInstance(t, moved);
      await waitFor(() => instance.stdout().includes("data directory"), { message: "it has begun" });
      await interrupt(instance);
      await waitFor(() => processesOf(moved).length === 0, noneLeft);
      t.notMatch(instance.stdout(), /is ready/);
    });
  },
);

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
    await waitFor(() => processesOf(dataDir).length === 0, noneLeft);
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
  await waitFor(() => processesOf(dataDir).length === 0, noneLeft);
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
