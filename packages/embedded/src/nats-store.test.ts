import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { freePort } from "./free-port.ts";
import { findNats, type RunningNats, startNats } from "./start-nats.ts";

const log = (): void => {};
/** Larger than a block, so that the conversion has several of them. */
const MESSAGES = 40;
const BODY = "CANARY7Q9X2 ".repeat(20_000);

async function start(
  t: Test,
  dataDir: string,
  { port, monitorPort }: Partial<Pick<RunningNats, "port" | "monitorPort">> = {},
): Promise<RunningNats> {
  const server = await startNats({ dataDir, log, port, monitorPort });
  t.teardown(() => server.stop());
  return server;
}

async function open(url: string): Promise<NatsConnection> {
  const { host, username, password } = new URL(url);
  return connect({ servers: host, user: username, pass: password, reconnect: false });
}

async function publish(nats: NatsConnection): Promise<void> {
  await (await jetstreamManager(nats)).streams.add({ name: "KEPT", subjects: ["kept"] });
  for (let i = 1; i <= MESSAGES; i++) await jetstream(nats).publish("kept", `${i} ${BODY}`);
  await (await jetstreamManager(nats)).streams.purge("KEPT", { seq: 3 });
}

/** The content of `publish`, message by message. */
async function countKept(server: RunningNats): Promise<number> {
  const nats = await open(server.url);
  const { streams } = await jetstreamManager(nats);
  const { state } = await streams.info("KEPT");
  let kept = 0;
  for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
    const message = await streams.getMessage("KEPT", { seq });
    if (message?.string() === `${seq} ${BODY}`) kept++;
  }
  await nats.close();
  return kept;
}

/** The files below a directory that contain the messages' words. */
function inClear(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => statSync(join(dir, name)).isFile() && readFileSync(join(dir, name)).includes("CANARY7Q9X2"),
  );
}

/** A data directory of the previous version: its store is not encrypted, and there is no key. */
async function plainDataDir(dir: string): Promise<void> {
  const [port, monitorPort] = [await freePort(), await freePort()];
  mkdirSync(dir, { recursive: true });
  const config = join(dir, "plain.conf");
  const store = join(dir, "data");
  const text = `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitorPort}"\njetstream { store_dir: ${JSON.stringify(store)}, sync_interval: always }\n`;
  writeFileSync(config, text);
  const server = spawn(findNats().path, ["--config", config], { stdio: "ignore" });
  const exited = once(server, "exit");
  const nats = await connect({
    servers: `127.0.0.1:${port}`,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
  });
  await publish(nats);
  await nats.close();
  server.kill("SIGKILL");
  await exited;
}

const dir = t.testdir();
/** The content of `publish` in a data directory of the previous version. */
const plain = join(dir, "plain");
/** The same in one of this version, whose server was killed. */
const killed = join(dir, "killed");
let killedServer: RunningNats;
t.before(async () => {
  await plainDataDir(plain);
  killedServer = await startNats({ dataDir: killed, log });
  t.teardown(() => killedServer.stop());
  const nats = await open(killedServer.url);
  await publish(nats);
  await nats.close();
  killedServer.kill("SIGKILL");
  await killedServer.exited;
});

function copyOf(t: Test, dataDir: string): string {
  const copy = t.testdir();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

t.test("store - holds nothing in clear, and no other user can read its key", async (t) => {
  t.strictSame(inClear(killed), []);
  const file = join(killed, "store-key");
  t.equal(statSync(file).mode & 0o777, 0o600);
  const key = readFileSync(file, "utf8").trim();
  t.notMatch(readFileSync(join(killed, "nats.conf"), "utf8"), key);
});

t.test("store - after a kill, acknowledged messages, address and password are kept", async (t) => {
  const server = await start(t, copyOf(t, killed), killedServer);
  t.equal(server.url, killedServer.url);
  t.equal(await countKept(server), MESSAGES - 2);
});

t.test(
  "store - the previous version's store is encrypted at the first start, and loses nothing",
  async (t) => {
    const dataDir = copyOf(t, plain);
    t.not(inClear(dataDir).length, 0, "the search finds plain text");
    const said: string[] = [];
    const server = await startNats({ dataDir, log: (message) => said.push(message) });
    t.teardown(() => server.stop());
    t.match(said, [/encrypting its store/]);
    t.strictSame(inClear(dataDir), []);
    t.strictSame(
      readdirSync(dataDir).filter((name) => name.startsWith("data")),
      ["data"],
    );
    t.equal(await countKept(server), MESSAGES - 2);
  },
);

t.test("store - after a kill during the encryption the next start begins again", async (t) => {
  const left = (name: string, leave: (dir: string) => void) =>
    t.test(name, async (t) => {
      const dataDir = copyOf(t, plain);
      leave(dataDir);
      const server = await start(t, dataDir);
      t.equal(await countKept(server), MESSAGES - 2);
      t.strictSame(inClear(dataDir), []);
    });
  await left("half a copy", (dir) => {
    mkdirSync(join(dir, "data.new", "jetstream", "$G", "streams", "KEPT"), { recursive: true });
  });
  await left("between the renames", (dir) => {
    cpSync(join(dir, "data"), join(dir, "data.new"), { recursive: true });
    renameSync(join(dir, "data"), join(dir, "data.plain"));
  });
  await left("after the renames", (dir) => {
    cpSync(join(dir, "data"), join(dir, "data.plain"), { recursive: true });
  });
});

t.test("store - without its key the store is left alone", async (t) => {
  const dataDir = copyOf(t, killed);
  const key = readFileSync(join(dataDir, "store-key"));
  for (const lose of [
    () => rmSync(join(dataDir, "store-key")),
    () => writeFileSync(join(dataDir, "store-key"), ""),
  ]) {
    lose();
    await t.rejects(startNats({ dataDir, log }), {
      code: "store_key_missing",
      message: /store-key.* is missing: put/,
    });
  }
  writeFileSync(join(dataDir, "store-key"), key);
  t.ok(existsSync(join(dataDir, "data")));
  t.equal(await countKept(await start(t, dataDir)), MESSAGES - 2);
});

t.test("store - a kill between the file of a block and its key costs nothing", async (t) => {
  const root = t.testdir();
  for (const key of [undefined, Buffer.alloc(0), Buffer.alloc(20)]) {
    const dataDir = join(root, `key-${key?.length}`);
    cpSync(killed, dataDir, { recursive: true });
    const blocks = join(dataDir, "data", "jetstream", "$G", "streams", "KEPT", "msgs");
    writeFileSync(join(blocks, "99.blk"), "");
    if (key !== undefined) writeFileSync(join(blocks, "99.key"), key);
    t.equal(await countKept(await start(t, dataDir)), MESSAGES - 2, `a key of ${key?.length} bytes`);
  }
});
