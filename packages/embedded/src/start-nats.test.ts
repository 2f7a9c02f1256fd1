import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import t, { type Test } from "tap";
import { freePort } from "./free-port.ts";
import { findNats, type RunningNats, startNats } from "./start-nats.ts";

const log = (): void => {};

async function start(t: Test, options: Parameters<typeof startNats>[0]): Promise<RunningNats> {
  const server = await startNats(options);
  t.teardown(() => server.stop());
  return server;
}

function open(server: RunningNats): Promise<NatsConnection> {
  const { host, username, password } = new URL(server.url);
  return connect({ servers: host, user: username, pass: password, reconnect: false });
}

t.test("nats - keeps acknowledged messages, address and password over a kill", async (t) => {
  const dataDir = t.testdir();
  const first = await start(t, { dataDir, log });
  const before = await open(first);
  await (await jetstreamManager(before)).streams.add({ name: "KEPT", subjects: ["kept"] });
  await jetstream(before).publish("kept", "message");
  first.kill("SIGKILL");
  await first.exited;
  await before.close();

  const second = await start(t, { dataDir, log, port: first.port, monitorPort: first.monitorPort });
  t.equal(second.url, first.url);
  const after = await open(second);
  t.teardown(() => after.close());
  t.equal((await (await jetstreamManager(after)).streams.info("KEPT")).state.messages, 1);
});

t.test("nats - syncs every message, and no other user can read its password", async (t) => {
  const dataDir = t.testdir();
  const server = await start(t, { dataDir, log });
  const config = join(dataDir, "nats.conf");
  t.match(readFileSync(config, "utf8"), /^ {2}sync_interval: always$/m);
  t.equal(statSync(config).mode & 0o777, 0o600);
  await t.rejects(connect({ servers: new URL(server.url).host, reconnect: false }), /authorization/i);
});

t.test("nats - a taken port is named", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.teardown(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const monitorPort = await freePort();
  await t.rejects(startNats({ dataDir: t.testdir(), port, monitorPort, log }), {
    code: "port_taken",
    message: new RegExp(`^port ${port} or ${monitorPort}, for NATS, is taken: stop`),
  });
});

t.test("nats - a server left behind by a crash is ended before the next one starts", async (t) => {
  const dataDir = t.testdir();
  const first = await start(t, { dataDir, log });
  const said: string[] = [];
  await start(t, { dataDir, log: (message) => said.push(message) });
  await first.exited;
  t.match(said, [/ending one that a crash left behind/]);
});

t.test("nats - the server of the npm package is found, and has the checked hash", async (t) => {
  t.match(findNats(), { version: /^2\.14\.\d+$/ });
});
