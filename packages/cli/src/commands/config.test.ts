import { writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import { SERVICE_NAMES } from "#contract";
import {
  declaredSettings,
  type Environment,
  makeEncryptionKey,
  reportSettings,
  settingsInForce,
} from "#runtime";
import { runCommand } from "../test-command.ts";
import { writeRunFile } from "../test-run-file.ts";

const config = (args: readonly string[], env: Environment) => runCommand(["config", ...args], env);

const SECRET = "hunter2";

t.test("config - every setting with its value, its source and its meaning", async (t) => {
  const dir = t.testdir({ nats: `nats://u:${SECRET}@h:4222\n` });
  const env = {
    DATABASE_URL: `postgres://u:${SECRET}@h/d`,
    NATS_URL_FILE: `${dir}/nats`,
    STAMPEDE_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8,fd00::/8",
    STAMPEDE_HTTP_PORT: "81",
  };
  const { code, out, err } = await config([], env);
  t.equal(code, 0);
  t.equal(err, "");
  const [head, ...lines] = out.trimEnd().split("\n");
  t.match(head, /^setting +value +from +what$/);
  t.strictSame(
    lines.map((line) => line.split(" ")[0]),
    declaredSettings().map(({ key }) => key),
  );
  t.match(out, /^DATABASE_URL +set +environment +PostgreSQL 14 or later/m);
  t.match(out, new RegExp(`^NATS_URL +set +file ${dir}/nats +NATS with JetStream`, "m"));
  t.match(out, /^STAMPEDE_PLATFORM_DATABASE_URL +not set +default +/m);
  t.match(out, /^STAMPEDE_HTTP_PORT +81 +environment +publisher API, port$/m);
  t.match(out, /^STAMPEDE_WEBHOOK_ALLOW_CIDRS +10\.0\.0\.0\/8,fd00::\/8 +environment/m);
  t.match(out, /^STAMPEDE_STREAM_PREFIX +"" +default/m);
  t.notMatch(out, SECRET);

  const { out: json } = await config(["--json"], env);
  const rows = JSON.parse(json) as Array<Record<string, unknown>>;
  const row = (key: string) => rows.find((one) => one.key === key);
  t.equal(rows.length, declaredSettings().length);
  t.match(row("NATS_URL"), { value: "set", origin: "file", file: `${dir}/nats`, secret: true });
  t.match(row("STAMPEDE_HTTP_PORT"), { value: 81, origin: "environment", secret: false });
  t.match(row("STAMPEDE_WEBHOOK_ALLOW_CIDRS"), { value: ["10.0.0.0/8", "fd00::/8"] });
  t.notMatch(json, SECRET);
});

t.test("config --check - names each problem on a line, and fails", async (t) => {
  const env = {
    DATABASE_URL: `mysql://u:${SECRET}@h`,
    STAMPEDE_ENCRYPTION_KEYS_FILE: "/nowhere/keys",
    STAMPEDE_LOGLEVEL: "debug",
    STAMPEDE_PARTITIONS: "0",
  };
  const { code, out, err } = await config(["--check"], env);
  t.equal(code, 1);
  t.equal(out, "");
  t.equal(
    err,
    [
      "stampede: DATABASE_URL must be a URL such as postgres://user:password@host:port",
      "stampede: STAMPEDE_ENCRYPTION_KEYS_FILE names /nowhere/keys, which cannot be read (ENOENT): put the value there, or correct the path",
      'stampede: STAMPEDE_PARTITIONS must be a whole number from 1 to 256, not "0"',
      "stampede: STAMPEDE_LOGLEVEL is not a setting: did you mean STAMPEDE_LOG_LEVEL?",
      "",
    ].join("\n"),
  );
  t.match(await config([], env), { code: 1, out: "", err }, "without --check as well");
  const json = await config(["--check", "--json"], env);
  t.equal(json.code, 1);
  t.match(JSON.parse(json.out), { valid: false, problems: { 0: /^DATABASE_URL must/, length: 4 } });
  t.match(await config(["--check"], {}), { code: 0, out: "", err: "the environment is valid\n" });
  t.match(JSON.parse((await config(["--check", "--json"], {})).out), { valid: true, problems: [] });
  const ports = { STAMPEDE_OPS_PORT: "8080" };
  t.match(await config(["--check"], ports), {
    code: 1,
    err: /HTTP_PORT and STAMPEDE_OPS_PORT are both 8080/,
  });
});

t.test("config --service - names the settings that a service would miss at its start", async (t) => {
  const servers = { DATABASE_URL: "postgres://h/d", NATS_URL: "nats://h" };
  const keys = { STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()) };
  const check = (service: string, env: Environment) => config(["--check", "--service", service], env);
  for (const service of SERVICE_NAMES) {
    const needsKeys = service === "edge" || service === "webhooks";
    const nothing = await check(service, {});
    t.equal(nothing.code, 1, service);
    t.match(nothing.err, /^stampede: set .*DATABASE_URL.* NATS_URL/m);
    t.equal(/STAMPEDE_ENCRYPTION_KEYS/.test(nothing.err), needsKeys);
    t.equal((await check(service, servers)).code, needsKeys ? 1 : 0, `${service} with servers`);
    t.match(await check(service, { ...servers, ...keys }), {
      code: 0,
      err: `the environment is valid, and ${service} misses nothing\n`,
    });
  }
  const platform = { STAMPEDE_PLATFORM_DATABASE_URL: "postgres://h/p", NATS_URL: "nats://h" };
  t.match(await check("platform", platform), { code: 0 });
  t.match(await check("rewards", platform), { code: 1, err: /set DATABASE_URL and NATS_URL/ });
});

/**
 * A data directory with a running all-in-one that was started with `given` and also gave its services
 * `handedOn`.
 */
function startedWith(t: Test, given: Environment, handedOn: Environment, more: object = {}): string {
  const dataDir = t.testdir();
  const databaseUrl = `postgres://u:${SECRET}@h/d`;
  const kept = new Map([["STAMPEDE_DATA_DIR", dataDir]]);
  const settings = settingsInForce(reportSettings(given).rows, { ...given, ...handedOn }, kept);
  writeRunFile(dataDir, { databaseUrl, platformDatabaseUrl: databaseUrl, settings, ...more });
  return dataDir;
}

t.test(
  "config - beside a running instance it shows the values in force, and how this environment differs",
  async (t) => {
    const given = { STAMPEDE_HTTP_PORT: "81", STAMPEDE_LOG_LEVEL: "debug", STAMPEDE_PARTITIONS: "4" };
    const handedOn = { DATABASE_URL: `postgres://u:${SECRET}@h/d`, STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback" };
    const dataDir = startedWith(t, given, handedOn);
    const here = { STAMPEDE_DATA_DIR: dataDir, STAMPEDE_LOG_LEVEL: "debug", STAMPEDE_PARTITIONS: "8" };
    const { code, out, err } = await config([], here);
    t.equal(code, 0);
    t.match(out, /^DATABASE_URL +set +all-in-one /m);
    t.match(out, /^STAMPEDE_HTTP_PORT +81 +environment /m);
    t.match(out, /^STAMPEDE_LOG_LEVEL +debug +environment /m);
    t.match(out, /^STAMPEDE_PARTITIONS +4 +environment /m);
    t.match(out, /^STAMPEDE_WEBHOOK_ALLOW_HTTP +loopback +all-in-one /m);
    t.match(out, /^STAMPEDE_OPS_PORT +9464 +default /m);
    t.equal(
      err,
      [
        `the settings of process ${process.pid}, which runs on ${dataDir}`,
        "this environment would give others, which hold only if the instance is started in it:",
        "  STAMPEDE_HTTP_PORT: 8080",
        "  STAMPEDE_PARTITIONS: 8",
        "",
      ].join("\n"),
    );
    const rows = JSON.parse((await config(["--json"], here)).out) as Array<Record<string, unknown>>;
    const row = (key: string) => rows.find((one) => one.key === key) ?? {};
    t.equal(rows.length, declaredSettings().length);
    t.match(row("STAMPEDE_PARTITIONS"), { value: 4, origin: "environment", this_environment: 8 });
    t.match(row("DATABASE_URL"), { value: "set", origin: "all-in-one", secret: true });
    t.notOk("this_environment" in row("DATABASE_URL"), "it would choose the same again");
    t.notOk("this_environment" in row("STAMPEDE_LOG_LEVEL"));
    t.notMatch(out + err + JSON.stringify(rows), SECRET);
    t.equal(
      (await config(["--check"], here)).err,
      "the environment is valid\n",
      "which judges this environment",
    );
  },
);

t.test("config - says so if the settings are not those of the running instance", async (t) => {
  const settingsOf = async (dataDir: string, env: Environment = {}) => {
    const { out, err } = await config([], { STAMPEDE_DATA_DIR: dataDir, ...env });
    return { port: /^STAMPEDE_HTTP_PORT +(\d+)/m.exec(out)?.[1], err };
  };
  const given = { STAMPEDE_HTTP_PORT: "81" };
  const process_ = (dataDir: string) => `process ${process.pid}, which runs on ${dataDir}`;
  const old = startedWith(t, given, {}, { settings: undefined });
  t.strictSame(await settingsOf(old), {
    port: "8080",
    err: `the settings of this environment, not of ${process_(old)}: it did not write its own down\n`,
  });
  const other = startedWith(t, given, {});
  t.strictSame(await settingsOf(other, { DATABASE_URL: "postgres://elsewhere/d" }), {
    port: "8080",
    err: `the settings of this environment, not of ${process_(other)}: that works on another database\n`,
  });
  const dead = startedWith(t, given, {}, { pid: 2 ** 22 + 1 });
  t.strictSame(await settingsOf(dead), { port: "8080", err: "" });
  writeFileSync(`${dead}/run.json`, "{}");
  t.match(await settingsOf(dead), {
    port: "8080",
    err: /^the settings of this environment: .*run\.json was not/,
  });
});
