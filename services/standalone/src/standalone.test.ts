import { type ExecFileOptions, execFile } from "node:child_process";
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { readExposition, waitFor } from "#test-support";
import { send, Visitor } from "../../console/src/test-console.ts";
import { healsAfterSixKills, healsBehindFrozenBackend, isBack, isReadyAgain } from "./test-healing.ts";
import {
  dataDirectory,
  type Instance,
  pidOf,
  readiness,
  startInstance,
  untilNoneLeft,
} from "./test-instance.ts";

t.setTimeout(400_000);

// npm writes a log of each run into this folder.
const NPM = { npm_config_cache: t.testdir(), npm_config_update_notifier: "false" };
const README = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
// The same line as in docs/operations/commands.md, `stampede console link`.
const STAMPEDE = fileURLToPath(new URL("../../../packages/cli/src/main.js", import.meta.url));

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
      const [, line = ""] = /^```sh\n(.*?)\n```$/ms.exec(README) ?? [];
      t.equal(line, "npm start", "the command of README.md");
      const instance = startInstance(t, dataDir, NPM, ["npm", "start"]);
      const run = await instance.ready();
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
      await t.test("a frozen backend holds PostgreSQL back while services are killed", (t) =>
        healsBehindFrozenBackend({ t, instance, run }),
      );
      await t.test("six kills of one service within a minute are not its fault", (t) =>
        healsAfterSixKills({ t, instance, run }),
      );
      await interrupt(instance);
      t.notOk(existsSync(join(dataDir, "run.json")));
      t.notOk(existsSync(join(dataDir, "lock")));
      await untilNoneLeft(dataDir);
    });

    const token = readFileSync(join(dataDir, "token"), "utf8").trim();
    const platformToken = readFileSync(join(dataDir, "platform-token"), "utf8").trim();

    renameSync(dataDir, moved);

    await t.test("second start - has its data where it was moved; a killed child comes back", async (t) => {
      const instance = startInstance(t, moved);
      const run = await instance.ready();
      t.equal(run.pid, instance.process.pid);
      t.equal(run.tokenFile, join(moved, "token"));
      t.equal(readFileSync(run.tokenFile, "utf8").trim(), token);
      t.equal(readFileSync(run.platformTokenFile, "utf8").trim(), platformToken);
      const response = await fetch(`${run.publisherUrl}/publisher.v1/member-base/list`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: "{}",
      });
      const { data } = (await response.json()) as { data: Array<{ name: string }> };
      if (hasCurl) t.match(data[0], { name: "First steps" });
      t.equal(data.at(-1)?.name, "after");

      const second = startInstance(t, moved);
      t.strictSame(await second.exited, [1, null]);
      t.match(
        second.stderr(),
        new RegExp(`^stampede: Stampede already runs on .* \\(process ${run.pid}, at http:.*\\n$`),
      );

      t.equal(instance.stderr(), "");
      const healing = { t, instance, run };
      const children = ["platform", "rewards", "NATS"];
      for (const child of children) {
        process.kill((await pidOf(run.opsUrl, child)) as number, "SIGKILL");
        await isBack(healing, child);
      }
      await isReadyAgain(healing);
      const metrics = await (await fetch(`${run.opsUrl}/metrics`)).text();
      for (const child of children)
        t.match(metrics, new RegExp(`^stampede_child_restarts_total\\{child="${child}".*\\} 1$`, "m"));

      instance.process.kill("SIGKILL");
      await instance.exited;
      await untilNoneLeft(moved);
    });

    const third =
      "third start - works after the kill of the second; without its data directory it stops, and says so";
    await t.test(third, async (t) => {
      const instance = startInstance(t, moved);
      await instance.ready();
      renameSync(moved, dataDir);
      t.strictSame(await instance.exited, [1, null]);
      t.match(
        instance.stderr(),
        /^stampede: the data directory .* was moved, removed or taken over .*: it stops\./m,
      );
      t.notOk(existsSync(join(moved, "postgres", "cluster")), "no new database: its place stays empty");
      await untilNoneLeft(moved);
    });

    const fourth =
      "fourth start - on the directory that was moved under the third; interrupted while its services start, it ends";
    await t.test(fourth, async (t) => {
      const instance = startInstance(t, dataDir);
      await waitFor(() => instance.stdout().includes("first tokens:"), { message: "its servers are up" });
      await interrupt(instance);
      await untilNoneLeft(dataDir);
      const place = `publisher's in ${join(dataDir, "token")}; platform's in ${join(dataDir, "platform-token")}`;
      t.match(instance.stdout(), "database schema: up to date");
      t.match(instance.stdout(), `first tokens: ${place}`, "the database has the tokens of the first start");
    });

    await t.test("an interrupted start ends, exits 0 and leaves nothing", async (t) => {
      const instance = startInstance(t, dataDir);
      await waitFor(() => instance.stdout().includes("data directory"), { message: "it has begun" });
      await interrupt(instance);
      await untilNoneLeft(dataDir);
      t.notMatch(instance.stdout(), /is ready/);
    });
  },
);
