import t from "tap";
import { SERVICE_NAMES } from "#contract";
import { declaredSettings, type Environment, makeEncryptionKey } from "#runtime";
import { runCommand } from "../test-command.ts";

const config = (args: readonly string[], env: Environment) => runCommand(["config", ...args], env);

const SECRET = "hunter2";

t.test("config - every setting with its value, where it comes from and what it is for", async (t) => {
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

t.test("config --check - says all that is wrong, a line each, and fails", async (t) => {
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
      "stampede: STAMPEDE_ENCRYPTION_KEYS_FILE names /nowhere/keys, which cannot be read (ENOENT)",
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

t.test("config --service - what a service would miss at its start", async (t) => {
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
