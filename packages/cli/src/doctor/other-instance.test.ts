/** `stampede doctor` beside a running `npm start`: which key and which readiness it uses. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { makeEncryptionKey } from "#runtime";
import { isolation, serveHttp, testServers } from "#test-support";
import { worksOn } from "../running-instance.ts";
import { writeRunFile } from "../test-run-file.ts";
import { doctor } from "./test-doctor.ts";

/** A data directory with a running instance whose operations endpoints say that it is ready. */
async function startInstance(t: Test, databaseUrl: string, natsUrl: string) {
  let asked = 0;
  const { url, port } = await serveHttp(t, (_request, response) => {
    asked += 1;
    response.end(JSON.stringify({ ready: true, checks: {} }));
  });
  const dataDir = t.testdir();
  writeRunFile(dataDir, { opsUrl: url, databaseUrl, natsUrl, platformDatabaseUrl: databaseUrl });
  writeFileSync(join(dataDir, "encryption-key"), `${makeEncryptionKey(new Date())}\n`);
  return { dataDir, port, url, asked: () => asked };
}

t.test("doctor - an instance of another database lends neither its key nor its readiness", async (t) => {
  const servers = await testServers();
  const [theirs, ours] = [await servers.databaseUrl(), await servers.databaseUrl()];
  const instance = await startInstance(t, theirs, servers.natsUrl);
  const env = {
    STAMPEDE_DATA_DIR: instance.dataDir,
    STAMPEDE_STREAM_PREFIX: isolation(),
    STAMPEDE_STREAM_MAX_BYTES: String(8 * 1024 * 1024),
    STAMPEDE_LINK_MAX_BYTES: String(8 * 1024 * 1024),
    STAMPEDE_OPS_PORT: String(instance.port),
  };
  const linesOf = async (more: Record<string, string>) => {
    const { lines } = await doctor({ ...env, ...more });
    const of = (check: string) => lines.filter((line) => line.includes(` ${check}: `)).join("\n");
    return { keys: of("encryption keys"), services: of("services") };
  };

  const other = await linesOf({ DATABASE_URL: ours });
  t.match(other.keys, /^warn .*STAMPEDE_ENCRYPTION_KEYS is not set/);
  t.equal(
    other.services,
    `warn services: unknown: process ${process.pid} at ${instance.url} works on another database than DATABASE_URL: set ` +
      "STAMPEDE_OPS_PORT, or STAMPEDE_DATA_DIR",
  );
  t.equal(instance.asked(), 0);
  const elsewhere = await linesOf({ DATABASE_URL: ours, STAMPEDE_OPS_PORT: "1" });
  t.match(
    elsewhere.services,
    /^ok services: none answers at http:\/\/127\.0\.0\.1:1 /,
    "where the settings say",
  );

  for (const more of [{}, { DATABASE_URL: theirs }]) {
    const same = await linesOf({ ...more, STAMPEDE_OPS_PORT: "1" });
    t.match(same.keys, /^ok .* seals new ones$/);
    t.equal(same.services, `ok services: ready at ${instance.url}`);
  }
});

t.test("doctor - another user or spelling of the port is still the same database", async (t) => {
  const works = (instance: string, named: string) =>
    worksOn({ databaseUrl: instance } as Parameters<typeof worksOn>[0], named);
  t.ok(works("postgres://a:x@db/stampede", "postgresql://b:y@db:5432/stampede?sslmode=require"));
  t.ok(works("postgres://a@db", "postgres://b@db/a"));
  t.notOk(works("postgres://a@db/stampede", "postgres://a@db/other"));
  t.notOk(works("postgres://a@db/stampede", "postgres://a@db:5433/stampede"));
  t.notOk(works("postgres://a@db/stampede", "postgres://a@standby/stampede"));
  t.notOk(works("postgres://a@db", "postgres://b@db"));
});
