import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { connectionsOf, SERVICE_NAMES, type ServiceName } from "#contract";
import { freePort } from "#embedded";
import { closeStore, connectStore } from "#postgres";
import { makeEncryptionKey } from "#runtime";
import { isolation, testServers, waitFor } from "#test-support";
import { plainService } from "./service-commands.ts";

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));
const DEADLINE_MS = 60_000;

interface Started {
  readonly child: ChildProcess;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
  out(): string;
  err(): string;
}

/** Starts a command as a separate process, with nothing of this process's environment except the path. */
function start(main: string, args: readonly string[], env: Record<string, string>): Started {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    texts.out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    texts.err += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, out: () => texts.out, err: () => texts.err };
}

const ENVIRONMENT = {
  STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
  STAMPEDE_HTTP_PORT: "0",
  STAMPEDE_PLATFORM_PORT: "0",
  STAMPEDE_CONSOLE_PORT: "0",
  STAMPEDE_STREAM_MAX_BYTES: String(8 * 1024 * 1024),
  STAMPEDE_LINK_MAX_BYTES: String(8 * 1024 * 1024),
};

t.test("service commands - each service runs as this process, and ends with 0 on a signal", async (t) => {
  const servers = await testServers();
  const databaseUrl = await servers.databaseUrl();
  // A global installation has a link to the program in a folder of the PATH.
  const link = join(t.testdir(), "stampede");
  symlinkSync(MAIN, link);
  const shared = {
    ...ENVIRONMENT,
    DATABASE_URL: databaseUrl,
    NATS_URL: servers.natsUrl,
    STAMPEDE_STREAM_PREFIX: isolation(),
  };
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const run = async (name: ServiceName, signal: NodeJS.Signals) => {
    const opsPort = await freePort();
    const service = start(link, [name], { ...shared, STAMPEDE_OPS_PORT: String(opsPort) });
    t.teardown(() => void service.child.kill("SIGKILL"));
    await waitFor(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 200, {
      deadlineMs: DEADLINE_MS,
      message: `${name} is ready: ${service.err()}`,
    });
    const [open] = await store<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like ${`stampede-${name}%`}`;
    const limit = connectionsOf(name, { ingestWriters: 2 });
    t.ok(
      open && open.count >= 1 && open.count <= limit,
      `${name} has ${open?.count} of ${limit} connections`,
    );
    service.child.kill(signal);
    t.equal(await service.ended, 0, `${name} ends with 0 at ${signal}`);
    t.equal(service.err(), "");
    t.match(service.out(), `"service":"${name}"`);
  };
  await Promise.all(SERVICE_NAMES.map((name, index) => run(name, index % 2 === 0 ? "SIGTERM" : "SIGINT")));
});

t.test("service commands - a failed start prints one line, and the exit code is 1", async (t) => {
  const { natsUrl } = await testServers();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.teardown(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const cases: ReadonlyArray<[ServiceName, Record<string, string>, RegExp]> = [
    ["ingest", {}, /^stampede ingest: set DATABASE_URL and NATS_URL, or use `npm start` .*\n$/],
    ["edge", {}, /^stampede edge: set STAMPEDE_ENCRYPTION_KEYS, .*\n$/],
    [
      "rewards",
      { STAMPEDE_PARTITION: "3", NATS_URL_FILE: "/nowhere" },
      /^stampede rewards: wrong environment: NATS_URL_FILE names \/nowhere.*; STAMPEDE_PARTITION is not a setting: did .*\n$/,
    ],
    [
      "platform",
      { STAMPEDE_OPS_PORT: String(port) },
      /^stampede platform: 127\.0\.0\.1:\d+ is taken: .* STAMPEDE_OPS_PORT .*\n$/,
    ],
  ];
  await Promise.all(
    cases.map(async ([name, given, said]) => {
      const env = { STAMPEDE_OPS_PORT: "0", NATS_URL: given.NATS_URL_FILE ? "" : natsUrl, ...given };
      const service = start(MAIN, [name], env);
      t.equal(await service.ended, 1);
      t.match(service.err(), said);
    }),
  );
});

t.test(
  "service commands - a service waits for a server that is away, and names it without its password",
  async (t) => {
    const service = start(MAIN, ["webhooks"], {
      ...ENVIRONMENT,
      STAMPEDE_OPS_PORT: "0",
      DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x",
      NATS_URL: "nats://u:hunter2@127.0.0.1:1",
    });
    await waitFor(() => service.out().includes("waiting for a server"), {
      deadlineMs: DEADLINE_MS,
      message: `it waits; so far ${service.err()}`,
    });
    t.match(
      service.out(),
      '"waitsFor":"NATS","reason":"NATS does not answer at 127.0.0.1:1: start it, or set NATS_URL"',
    );
    service.child.kill("SIGTERM");
    t.equal(await service.ended, 0);
    t.equal(service.err(), "");
    t.notMatch(service.out(), "hunter2");
  },
);

t.test("service commands - help and a wrong argument start nothing", async (t) => {
  t.equal(plainService(["edge"]), "edge");
  for (const args of [[], ["edge", "--help"], ["edge", "2"], ["demo"], ["start"]]) {
    t.equal(plainService(args), undefined, args.join(" "));
  }
  const help = start(MAIN, ["edge", "--help"], {});
  t.equal(await help.ended, 0);
  t.match(help.out(), /^Usage: stampede edge/);
  const wrong = start(MAIN, ["edge", "2"], {});
  t.equal(await wrong.ended, 1);
  t.match(wrong.err(), /too many arguments/);
});
