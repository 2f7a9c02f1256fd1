import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import t from "tap";
import { freePort } from "./free-port.ts";
import { findNats, type RunningNats, startNats, verifiedNats } from "./start-nats.ts";

const log = (): void => {};

const dataDir = t.testdir({ "other-server": "#!/bin/sh\n" });
let first: RunningNats;
t.before(async () => {
  first = await startNats({ dataDir, log });
  t.teardown(() => first.stop());
});

t.test("nats - syncs every message, and no other user can read its password", async (t) => {
  const config = join(dataDir, "nats.conf");
  t.match(readFileSync(config, "utf8"), /^ {2}sync_interval: always$/m);
  t.equal(statSync(config).mode & 0o777, 0o600);
  await t.rejects(connect({ servers: new URL(first.url).host, reconnect: false }), /authorization/i);
});

t.test("nats - a server left behind by a crash is ended before the next one starts", async (t) => {
  const said: string[] = [];
  const second = await startNats({ dataDir, log: (message) => said.push(message) });
  t.teardown(() => second.stop());
  await first.exited;
  t.match(said, [/ending one that a crash left behind/]);
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

t.test(
  "nats - the server of the npm package is found, and another file in its place is refused",
  async (t) => {
    t.match(findNats(), { version: /^2\.14\.\d+$/ });
    t.throws(() => verifiedNats(join(dataDir, "other-server")), {
      code: "server_missing",
      message: /other-server is not the nats-server 2\.14\.0 that it should be: remove node_modules/,
    });
  },
);
