import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t from "tap";
import { FLOW, type Hop, LIMITS } from "#contract";
import { connectStream, ensureTopology, type Stream, streamName, subjectName, topologyOf } from "#nats";
import { createLog, readSettings } from "#runtime";
import { waitFor } from "#test-support";
import { DEPLOY, deployedFiles, readDeployed } from "./deploy-folder.ts";
import {
  binary,
  certificate,
  environment,
  OTHER_USER,
  type Owner,
  start,
  startBriefly,
  USERS,
} from "./deployed-nats.ts";

const READY_MS = 60_000;

for (const file of ["single.conf", "cluster-node.conf"]) {
  t.test(`nats - ${file} is valid for nats-server, and invalid if a variable is missing`, async (t) => {
    const env = await environment(t);
    t.strictSame(check(file, env), { status: 0, complaint: "" });
    const names =
      file === "single.conf" ? Object.keys(env).filter((name) => !/ROUTES|CLUSTER|TLS_CA/.test(name)) : [];
    for (const name of names.length > 0 ? names : Object.keys(env)) {
      const { [name]: _, ...others } = env;
      const { status, complaint } = check(file, others);
      t.equal(status, 1, `without ${name}`);
      t.match(complaint, name, "and it says which");
    }
  });
}

/** A server with single.conf, for the next two tests; the second kills it. */
let env: Record<string, string>;
let server: ChildProcess;
t.before(async () => {
  env = await environment(t);
  server = await run(t, "single.conf", env);
});

t.test("nats - a client without the password of a user is refused", async (t) => {
  for (const user of USERS) {
    const stream = await connect(env, url(env, user), user);
    t.ok(stream.connected(), user);
    await stream.close();
  }
  await t.rejects(connect(env, `tls://edge:wrong@${env.NATS_LISTEN}`, "edge"), "a wrong password");
  await t.rejects(connect(env, `tls://${env.NATS_LISTEN}`, "edge"), "none");
});

t.test("nats - single.conf holds Stampede's streams, and keeps acknowledged messages", async (t) => {
  const monitor = `http://${env.NATS_MONITOR}`;
  const { max_payload: maxPayload } = await fetch(`${monitor}/varz`).then(json<{ max_payload: number }>);
  t.equal(maxPayload, LIMITS.messageBytesMax, "the largest message is the largest that Stampede stores");
  const jsz = await fetch(`${monitor}/jsz`).then(json<{ config: Record<string, unknown> }>);
  t.equal(jsz.config.sync_always, true, "what is acknowledged is on disk");

  const stream = await connect(env, url(env, "operator"), "operator");
  const topology = topologyOf(readSettings({ STAMPEDE_PARTITIONS: "8" }));
  await ensureTopology(stream, topology);
  const names: string[] = [];
  for await (const { config } of stream.manager.streams.list()) names.push(config.name);
  const expected = Object.values<Hop>(FLOW).flatMap((hop) =>
    hop.partitioned
      ? [0, 1, 2, 3, 4, 5, 6, 7].map((n) => streamName(stream, hop, n))
      : [streamName(stream, hop)],
  );
  t.strictSame(names.sort(), expected.sort(), "eight partitions with the default sizes fit max_file_store");

  const body = new Uint8Array(LIMITS.messageBytesMax - 1024).fill(0x61);
  await stream.jetstream.publish(subjectName(stream, FLOW.ingest, 0), body);
  server.kill("SIGKILL");
  await once(server, "exit");
  t.strictSame(filesWith(env.NATS_STORE_DIR as string, "a".repeat(64)), [], "no file holds it in clear");
  const stored = readdirSync(env.NATS_STORE_DIR as string, { recursive: true, encoding: "utf8" });
  const block = stored.find((name) => /INGEST_0.*\.blk$/.test(name)) as string;
  // A server that is killed while it begins its next block leaves this file.
  writeFileSync(join(env.NATS_STORE_DIR as string, dirname(block), "99.blk"), "");
  await run(t, "single.conf", env);
  await waitFor(() => stream.connected(), { deadlineMs: READY_MS, message: "the client is back" });
  const { state } = await stream.manager.streams.info(streamName(stream, FLOW.ingest, 0));
  t.equal(state.messages, 1, "a message that was acknowledged before a kill is there after it");
  await stream.close();
});

t.test("nats - three servers with cluster-node.conf hold three copies, and go on without one", async (t) => {
  const tls = certificate(t);
  const alone = await Promise.all([0, 1, 2].map(() => environment(t, tls)));
  const routes = alone.map((env) => `"nats-route://routes:secret@${env.NATS_CLUSTER_LISTEN}"`);
  const envs = alone.map((env, index) => ({
    ...env,
    NATS_SERVER_NAME: `nats-${index}`,
    NATS_ROUTES: `[${routes.join(", ")}]`,
  }));
  const servers = await Promise.all(envs.map((env) => run(t, "cluster-node.conf", env)));
  const [first] = envs;
  const stream = await connect(first ?? {}, envs.map((env) => url(env, "operator")).join(","), "operator");
  const topology = topologyOf(readSettings({ STAMPEDE_PARTITIONS: "2", STAMPEDE_STREAM_REPLICAS: "3" }));
  await waitFor(() => ensureTopology(stream, topology).then(() => true), {
    deadlineMs: READY_MS,
    message: "the cluster has a leader, and takes the streams",
  });
  const publish = () => stream.jetstream.publish(subjectName(stream, FLOW.ingest, 0), "a message");
  await publish();
  const name = streamName(stream, FLOW.ingest, 0);
  const { config, cluster } = await stream.manager.streams.info(name);
  t.equal(config.num_replicas, 3);
  const led = envs.findIndex((env) => env.NATS_SERVER_NAME === cluster?.leader);
  const leader = servers[led] as ChildProcess;
  leader.kill("SIGKILL");
  await once(leader, "exit");
  await waitFor(publish, { deadlineMs: READY_MS, message: "the two that are left take a message" });
  const { state } = await stream.manager.streams.info(name);
  t.ok(state.messages >= 2, "and have what was acknowledged before");
  await stream.close();
});

t.test(
  "nats - the store is encrypted, its key is changed, and a wrong key does no harm, as secrets.md says",
  async (t) => {
    const env = await environment(t);
    const [stream] = [FLOW.ingest].map((hop) => streamName({ prefix: "" }, hop, 0));
    const configured = (change: (text: string) => string) => {
      const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-nats-conf-"));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      cpSync(join(DEPLOY, "nats"), folder, { recursive: true });
      const file = join(folder, "jetstream.conf");
      writeFileSync(file, change(readFileSync(file, "utf8")));
      return folder;
    };
    const stop = async (server: ChildProcess) => {
      server.kill();
      await once(server, "exit");
    };
    const kept = async (folder: string, variables: Record<string, string>) => {
      const server = await run(t, "single.conf", { ...env, ...variables }, folder);
      const client = await connect(env, url(env, "operator"), "operator");
      const { messages } = (await client.manager.streams.info(stream as string)).state;
      await client.close();
      await stop(server);
      return messages;
    };
    const plain = configured((text) => text.replace(/^ {2}(cipher|key): .*\n/gm, ""));
    const before = await run(t, "single.conf", env, plain);
    const client = await connect(env, url(env, "operator"), "operator");
    await ensureTopology(client, topologyOf(readSettings({ STAMPEDE_PARTITIONS: "1" })));
    const body = new Uint8Array(200_000).fill(0x61);
    for (let i = 0; i < 30; i++) await client.jetstream.publish(subjectName(client, FLOW.ingest, 0), body);
    await client.close();
    await stop(before);
    const inClear = () => filesWith(env.NATS_STORE_DIR as string, "a".repeat(64)).length;
    t.not(inClear(), 0, "it was not encrypted");

    const shipped = configured((text) => text);
    t.equal(await kept(shipped, { NATS_STORE_KEY: "k1" }), 30, "it gets a key");
    t.equal(inClear(), 0);
    const both = configured((text) =>
      text.replace(/^ {2}key: .*$/m, "$&\n  prev_key: $NATS_STORE_KEY_BEFORE"),
    );
    t.equal(await kept(both, { NATS_STORE_KEY: "k2", NATS_STORE_KEY_BEFORE: "k1" }), 30, "and another one");
    t.equal(await kept(shipped, { NATS_STORE_KEY: "k2" }), 30, "and no longer needs the first");

    for (const [folder, key] of [
      [shipped, "k1"],
      [plain, "none"],
    ] as const) {
      const wrong = start(t, "single.conf", { ...env, NATS_STORE_KEY: key }, folder);
      const health = () => fetch(`http://${env.NATS_MONITOR}/healthz`).then((answer) => answer.text());
      await waitFor(async () => (await health()).includes("could not be recovered"), {
        deadlineMs: READY_MS,
        message: "it does not say that it cannot open a stream",
      });
      await stop(wrong);
      t.equal(
        await kept(shipped, { NATS_STORE_KEY: "k2" }),
        30,
        `a server with the key ${key} left all messages`,
      );
    }
  },
);

t.test(
  "nats - start.sh starts on a disk of its own, which has a folder that only root may read",
  async (t) => {
    const env = await environment(t);
    const store = env.NATS_STORE_DIR as string;
    mkdirSync(join(store, "lost+found"), { mode: 0 });
    // As any user but root: a `find` that cannot be read there fails.
    if (process.getuid?.() === 0) chownSync(store, OTHER_USER, OTHER_USER);
    t.match(startBriefly(env, "single.conf"), { status: 0, stderr: "" });
  },
);

t.test("nats - a server of three does not start alone on its store", async (t) => {
  const env = await environment(t);
  const store = env.NATS_STORE_DIR as string;
  const server = start(t, "cluster-node.conf", env, join(DEPLOY, "nats"));
  await waitFor(() => existsSync(join(store, "jetstream/$SYS/_js_/_meta_")), {
    deadlineMs: READY_MS,
    message: "the folder by which start.sh knows such a store",
  });
  server.kill("SIGKILL");
  await once(server, "exit");
  if (process.getuid?.() === 0) spawnSync("chown", ["-R", `${OTHER_USER}`, store]);
  t.match(startBriefly(env, "single.conf"), { status: 1, stderr: /cluster-node\.conf/ });
  t.match(startBriefly(env, "cluster-node.conf"), { status: 0 });
});

t.test("nats - every variable that the files read is explained in a file's head", async (t) => {
  const texts = deployedFiles("nats").map(readDeployed);
  const read = new Set(
    texts.flatMap((text) => [...text.matchAll(/^[^#\n"]*\$([A-Z_]+)/gm)].map(([, name]) => name as string)),
  );
  const heads = texts.map((text) => text.match(/^(#.*\n)+/)?.[0] ?? "").join("\n");
  for (const name of read) t.ok(heads.includes(name) || /^STAMPEDE_NATS_/.test(name), name);
  t.strictSame([...read].sort(), Object.keys(await environment(t)).sort(), "and the tests set all of them");
});

function filesWith(dir: string, text: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(dir, name)).isFile() && readFileSync(join(dir, name)).includes(text),
  );
}

function check(
  file: string,
  env: Readonly<Record<string, string>>,
): { status: number | null; complaint: string } {
  const { status, stderr } = spawnSync(binary, ["-t", "-c", join(DEPLOY, "nats", file)], {
    env,
    encoding: "utf8",
  });
  return { status, complaint: status === 0 ? "" : stderr };
}

async function run(
  t: Owner,
  file: string,
  env: Readonly<Record<string, string>>,
  folder = join(DEPLOY, "nats"),
): Promise<ChildProcess> {
  const server = start(t, file, env, folder);
  await waitFor(async () => (await fetch(`http://${env.NATS_MONITOR}/healthz`)).ok, {
    deadlineMs: READY_MS,
    message: "nats-server is healthy",
  });
  return server;
}

/** @param name the user whose inboxes the connection uses: a user hears only its own */
function connect(env: Readonly<Record<string, string>>, url: string, name: string): Promise<Stream> {
  const log = createLog({ service: "test", level: "silent" });
  const access = readSettings({ STAMPEDE_NATS_CA_FILE: env.NATS_TLS_CA });
  return connectStream({ url, name, prefix: "", access, log });
}

function url(env: Readonly<Record<string, string>>, user: string): string {
  return `tls://${user}:secret-${user}@${env.NATS_LISTEN}`;
}

function json<T>(response: Response): Promise<T> {
  return response.json() as Promise<T>;
}
