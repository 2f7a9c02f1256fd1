/**
 * The servers that services trust: a fault of a server's certificate is one line at the start, and nothing is
 * sent to that server.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { connectStream, ensureTopology, topologyOf } from "#nats";
import { assertLetIn, closeStore, connectStore } from "#postgres";
import { createLog, readSettings } from "#runtime";
import { type Certificate, privateNats, selfSignedCertificate, testServers } from "#test-support";
import { type Impostor, natsImpostor, postgresImpostor } from "./impostor.ts";
import { makeCreds } from "./nats-creds.ts";

t.setTimeout(400_000);

const log = createLog({ service: "test", level: "silent" });
const EDGE = fileURLToPath(new URL("../../../services/edge/src/main.js", import.meta.url));
const DAY_MS = 86_400_000;

const good = selfSignedCertificate(["127.0.0.1"]);
const expired = selfSignedCertificate(["127.0.0.1"], new Date(Date.now() - DAY_MS));
const elsewhere = selfSignedCertificate(["nats.example"]);

/** The server's certificate, the client's trust, and the line about it. */
const FAULTS: ReadonlyArray<{ name: string; shown?: Certificate; trusted: Certificate; says: RegExp }> = [
  {
    name: "an unknown authority",
    shown: good,
    trusted: selfSignedCertificate(["127.0.0.1"]),
    says: /cannot be trusted: its certificate is not of a known authority .*STAMPEDE_\w+_CA_FILE/,
  },
  { name: "an expired certificate", shown: expired, trusted: expired, says: /has expired: renew it/ },
  { name: "another host's", shown: elsewhere, trusted: elsewhere, says: /is for another host/ },
  { name: "no TLS", trusted: good, says: /offers no TLS, which is demanded.*nothing was sent in plain text/ },
];

const folder = t.testdir();
let files = 0;

/** Writes a new file with this text. @returns its path */
function file(text: string): string {
  const path = join(folder, `${++files}.pem`);
  writeFileSync(path, text);
  return path;
}

async function meet(t: Test, make: Promise<Impostor>): Promise<Impostor> {
  const impostor = await make;
  t.teardown(() => impostor.close());
  return impostor;
}

for (const { name, shown, trusted, says } of FAULTS) {
  t.test(`a service does not connect to NATS with ${name}`, async (t) => {
    const impostor = await meet(t, natsImpostor(shown));
    const url = `tls://edge:secret@127.0.0.1:${impostor.port}`;
    const access = { natsCaFile: file(trusted.cert) };
    const connecting = connectStream({ url, name: "edge", prefix: "", access, log });
    await t.rejects(connecting, { name: "StartError", code: "nats_tls", message: says });
    t.equal(impostor.heard(), "", "not even the password");
  });

  t.test(`a service does not connect to PostgreSQL with ${name}`, async (t) => {
    const impostor = await meet(t, postgresImpostor(shown));
    const { databaseUrl } = readSettings({
      DATABASE_URL: `postgres://edge:secret@127.0.0.1:${impostor.port}/stampede`,
      STAMPEDE_DATABASE_CA_FILE: file(trusted.cert),
    });
    const store = connectStore({ url: databaseUrl as string, max: 1, applicationName: "test" });
    t.teardown(() => closeStore(store));
    await t.rejects(assertLetIn(store), { name: "StartError", code: "database_tls", message: says });
    t.equal(impostor.heard(), "", "not even the user's name");
  });
}

t.test("a server that speaks before TLS begins is not believed", async (t) => {
  const impostor = await meet(t, postgresImpostor(good, "R\0\0\0\b\0\0\0\0"));
  const ca = encodeURIComponent(file(good.cert));
  const url = `postgres://edge@127.0.0.1:${impostor.port}/x?sslmode=verify-full&sslrootcert=${ca}`;
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  await t.rejects(assertLetIn(store), { code: "database_tls", message: /it spoke before TLS began/ });
});

t.test("a service that cannot trust a server says so in one line and ends", async (t) => {
  const { natsUrl, databaseUrl } = await testServers();
  const caFile = file(good.cert);
  const run = (env: NodeJS.ProcessEnv) => {
    const settings = { STAMPEDE_OPS_PORT: "0", STAMPEDE_HTTP_PORT: "0", STAMPEDE_ENCRYPTION_KEYS: KEYS };
    const { status, stderr } = spawnSync(process.execPath, [EDGE], {
      env: { PATH: process.env.PATH, ...settings, ...env },
      encoding: "utf8",
    });
    return { status, lines: stderr.trim().split("\n") };
  };
  // The tests' servers have no TLS.
  const database = await databaseUrl();
  t.match(run({ DATABASE_URL: database, NATS_URL: natsUrl, STAMPEDE_NATS_CA_FILE: caFile }), {
    status: 1,
    lines: [/^stampede edge: NATS at .* offers no TLS/],
  });
  t.match(run({ DATABASE_URL: database, NATS_URL: natsUrl, STAMPEDE_DATABASE_CA_FILE: caFile }), {
    status: 1,
    lines: [/^stampede edge: PostgreSQL at .* offers no TLS/],
  });
  const wrong = new URL(database);
  wrong.password = "wrong";
  t.match(run({ DATABASE_URL: wrong.href, NATS_URL: natsUrl }), {
    status: 1,
    lines: [/^stampede edge: PostgreSQL does not let this user in .*: check DATABASE_URL/],
  });
  const stranger = new URL(natsUrl);
  stranger.password = "wrong";
  t.match(run({ DATABASE_URL: database, NATS_URL: stranger.href }), {
    status: 1,
    lines: [/^stampede edge: NATS at .* does not let user stampede in: check user and password/],
  });
});

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

t.test("an sslmode that may fall back to plain text is refused, and so are unreadable files", async (t) => {
  for (const mode of ["prefer", "allow", "verify"]) {
    const url = `postgres://127.0.0.1:1/x?sslmode=${mode}`;
    const open = () => connectStore({ url, max: 1, applicationName: "test" });
    t.throws(open, { code: "database_tls", message: new RegExp(`sslmode=${mode}: say disable, require`) });
  }
  const missing = join(t.testdir(), "missing.pem");
  const url = `postgres://127.0.0.1:1/x?sslrootcert=${encodeURIComponent(missing)}`;
  t.throws(() => connectStore({ url, max: 1, applicationName: "test" }), {
    code: "database_tls",
    message: /ENOENT/,
  });
  const contradiction = {
    STAMPEDE_DATABASE_CA_FILE: missing,
    DATABASE_URL: "postgres://h/x?sslmode=require",
  };
  t.throws(() => readSettings(contradiction), {
    message: /demands sslmode=verify-full and DATABASE_URL says/,
  });
  const connect = (access: object) =>
    connectStream({ url: "nats://u:p@127.0.0.1:1", name: "edge", prefix: "", access, log });
  await t.rejects(connect({ natsCaFile: missing }), {
    code: "nats_files",
    message: /NATS_CA_FILE: .*ENOENT/,
  });
  await t.rejects(connect({ natsCertFile: missing }), { code: "nats_files", message: /both or neither/ });
  await t.rejects(connect({ natsCredsFile: missing }), { code: "nats_files", message: /keep one of them/ });
});

t.test("a user with a JWT logs in with a .creds file, and finds its streams missing", async (t) => {
  const { config, creds } = makeCreds("edge");
  const nats = await privateNats({ config, env: {} });
  t.teardown(() => nats.remove());
  const url = `nats://127.0.0.1:${nats.port}`;
  const access = { natsCredsFile: file(creds) };
  const stream = await connectStream({ url, name: "edge", prefix: "", access, log });
  t.teardown(() => stream.close());
  await stream.assertPermitted();
  await t.rejects(ensureTopology(stream, topologyOf(readSettings({})), "edge"), {
    name: "StartError",
    code: "nats_rights",
    message:
      /^there is no stream INGEST_0, and it may not be made .*run `stampede migrate` with the operator's NATS_URL/,
  });
  await t.rejects(stream.assertPermitted(), {
    code: "nats_rights",
    message: /publish to \$JS\.API\.STREAM\.CREATE/,
  });
  const without = connectStream({ url, name: "edge", prefix: "", log });
  await t.rejects(without, { code: "nats_login", message: /does not let this process in/ });
});

t.test(
  "a NATS that asks for a certificate lets in a service with one, and the others say why they cannot connect",
  async (t) => {
    const ca = file(good.cert);
    const key = file(good.key);
    const own = selfSignedCertificate(["127.0.0.1"]);
    const natsCertFile = file(own.cert);
    const natsKeyFile = file(own.key);
    const block = { cert_file: ca, key_file: key, ca_file: natsCertFile, verify: true };
    const config = `authorization { user: u, password: p }\ntls ${JSON.stringify(block)}\n`;
    const nats = await privateNats({ config, env: {} });
    t.teardown(() => nats.remove());
    const connect = (access: object) =>
      connectStream({
        url: `tls://u:p@127.0.0.1:${nats.port}`,
        name: "edge",
        prefix: "",
        access: { natsCaFile: ca, ...access },
        log,
      });
    const stream = await connect({ natsCertFile, natsKeyFile });
    t.ok(stream.check().ok);
    await stream.close();
    await t.rejects(connect({}), {
      code: "nats_tls",
      message: /if it asks for a certificate, set STAMPEDE_NATS_CERT_FILE/,
    });
  },
);
