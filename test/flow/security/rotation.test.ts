/**
 * Changes passwords of PostgreSQL and NATS as docs/operations/secrets.md says: by a second role and a second
 * user with the rights of the first, a restart of the service, and the end of the first. The edge takes
 * events at every step.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import t from "tap";
import { accountsConf, NATS_USERS } from "#nats";
import {
  applyRoles,
  makeEvent,
  type PrivateNats,
  type PrivatePostgres,
  type ProcessName,
  PublisherClient,
  privateNats,
  privatePostgres,
  startPipeline,
  waitFor,
} from "#test-support";

t.setTimeout(400_000);

const CLI = fileURLToPath(new URL("../../../packages/cli/src/main.js", import.meta.url));
const BYTES = String(64 * 1024 * 1024);
const SMALL = { STAMPEDE_STREAM_MAX_BYTES: BYTES, STAMPEDE_LINK_MAX_BYTES: BYTES };
const PASSWORD = "p-first";
const ACCOUNTS = accountsConf({ prefix: "", partitions: 2 });
const [EDGE_BLOCK = ""] = /^ {6}\{\n {8}user: edge\n.*?\n {6}\}\n/ms.exec(ACCOUNTS) ?? [];
const SECOND_BLOCK = EDGE_BLOCK.replace("user: edge", "user: edge_b").replace(
  /password: \S+/,
  "password: p-second",
);

let database: PrivatePostgres;
let nats: PrivateNats;

t.before(async () => {
  const env = Object.fromEntries(
    NATS_USERS.map((user) => [`STAMPEDE_NATS_${user.toUpperCase()}_PASSWORD`, PASSWORD]),
  );
  [database, nats] = await Promise.all([
    privatePostgres({ fsync: "off" }),
    privateNats({ config: ACCOUNTS, env }),
  ]);
});
t.teardown(() => Promise.all([database.remove(), nats.remove()]));

/** Rights that the services' users lack. */
function makeStreams(databaseUrl: string, natsUrl: string): void {
  const env = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, ...SMALL };
  const { status, stderr } = spawnSync(process.execPath, [CLI, "migrate"], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`stampede migrate: ${stderr}`);
}

function withUser(url: string, user: string, password: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = password;
  return changed.href;
}

/** Rewrites the server's configuration and makes the server read it: `nats-server --signal reload`. */
async function reloadNats(change: (config: string) => string): Promise<void> {
  const loaded = async () => {
    const answer = await fetch(`${nats.monitorUrl}/varz`);
    return ((await answer.json()) as { config_load_time: string }).config_load_time;
  };
  const before = await loaded();
  const args = readFileSync(`/proc/${nats.pid()}/cmdline`, "utf8").split("\0");
  const file = args.find((arg) => arg.endsWith(".conf")) as string;
  writeFileSync(file, change(readFileSync(file, "utf8")));
  nats.signal("SIGHUP");
  await waitFor(async () => (await loaded()) !== before, { message: "the configuration is not read" });
}

t.test(
  "rotation - an edge gets other passwords, and takes events at every step",
  {
    skip: process.platform !== "linux" && "the server's configuration is found by /proc",
  },
  async (t) => {
    const url = await database.databaseUrl();
    await applyRoles(url, PASSWORD);
    const admin = postgres(url, { max: 1, onnotice: () => {} });
    t.teardown(() => admin.end());
    const envOf = (service: ProcessName) => ({
      DATABASE_URL: withUser(url, `stampede_${service}`, PASSWORD),
      NATS_URL: withUser(nats.url, service, PASSWORD),
    });
    const operator = withUser(nats.url, "operator", PASSWORD);
    makeStreams(url, operator);
    const pipeline = await startPipeline({ databaseUrl: url, natsUrl: operator, streamPrefix: "", envOf });
    t.teardown(() => pipeline.stop());
    const { token } = pipeline.publisher;
    const first = new PublisherClient(pipeline.edge.url, token);
    const [member] = (await first.enrol("ada")) as [string];
    const takes = async (client: PublisherClient) => (await client.ingest([makeEvent(member)])).status;
    t.equal(await takes(first), 200);

    await admin.unsafe("create role stampede_edge_b login password 'p-second' in role stampede_edge");
    await reloadNats((config) => config.replace(EDGE_BLOCK, EDGE_BLOCK + SECOND_BLOCK));
    t.equal(await takes(first), 200, "the first goes on");
    const changed = {
      DATABASE_URL: withUser(url, "stampede_edge_b", "p-second"),
      NATS_URL: withUser(nats.url, "edge_b", "p-second"),
    };
    const second = new PublisherClient((await pipeline.start("edge", changed)).url, token);
    t.equal(await takes(second), 200);
    t.equal(await pipeline.edge.stop(), 0);

    await admin.unsafe("alter role stampede_edge nologin");
    await reloadNats((config) => config.replace(EDGE_BLOCK, ""));
    t.equal(await takes(second), 200, "the second goes on");
    const kept = { STAMPEDE_LOG_LEVEL: "error" };
    await t.rejects(pipeline.start("edge", { ...kept, DATABASE_URL: changed.DATABASE_URL }), {
      message: /NATS/,
    });
    await t.rejects(pipeline.start("edge", { ...kept, NATS_URL: changed.NATS_URL }), {
      message: /PostgreSQL/,
    });
  },
);
