import t from "tap";
import { describeSettings, type Environment, readSettings, SettingsError } from "./settings.ts";

/** The message of the SettingsError that this environment causes, or undefined if it causes none. */
function errorOf(env: Environment): string | undefined {
  try {
    readSettings(env);
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

t.test("settings - an empty environment gives the contract's defaults (section 11)", async (t) => {
  t.match(readSettings({}), {
    dataDir: ".stampede",
    httpHost: "127.0.0.1",
    httpPort: 8080,
    platformHost: "127.0.0.1",
    platformPort: 8090,
    platformDatabaseUrl: undefined,
    opsHost: "127.0.0.1",
    opsPort: 9464,
    databaseUrl: undefined,
    natsUrl: undefined,
  });
});

t.test("settings - an empty variable counts as absent", async (t) => {
  const empty = { DATABASE_URL: "", NATS_URL: "", STAMPEDE_HTTP_PORT: "", STAMPEDE_LOG_LEVEL: "" };
  t.strictSame(readSettings(empty), readSettings({}));
});

t.test("settings - given values are read, and cannot be changed afterwards", async (t) => {
  const settings = readSettings({
    DATABASE_URL: "postgresql://loyalty:secret@db.example:5432/loyalty",
    NATS_URL: "nats://a.example:4222,tls://b.example:4222",
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_PARTITIONS: "256",
    STAMPEDE_LOG_LEVEL: "debug",
  });
  t.match(settings, {
    databaseUrl: "postgresql://loyalty:secret@db.example:5432/loyalty",
    natsUrl: "nats://a.example:4222,tls://b.example:4222",
    httpPort: 0,
    partitions: 256,
    logLevel: "debug",
  });
  t.ok(Object.isFrozen(settings));
});

t.test("settings - all errors are reported together", async (t) => {
  const message = errorOf({
    STAMPEDE_HTTP_PORT: "http",
    STAMPEDE_OPS_PORT: "65536",
    STAMPEDE_LOG_LEVEL: "loud",
    DATABASE_URL: "mysql://db",
    NATS_URL: "not a url",
    STAMPEDE_PARTITIONS: "0",
    STAMPEDE_PORT: "8080",
  });
  for (const part of [
    'STAMPEDE_HTTP_PORT must be a whole number from 0 to 65535, not "http"',
    'STAMPEDE_OPS_PORT must be a whole number from 0 to 65535, not "65536"',
    'STAMPEDE_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, not "loud"',
    "DATABASE_URL must be a URL such as postgres://user:password@host:port",
    "NATS_URL must be a URL such as nats://user:password@host:port",
    'STAMPEDE_PARTITIONS must be a whole number from 1 to 256, not "0"',
    "STAMPEDE_PORT is not a setting",
  ]) {
    t.ok(message?.includes(part), part);
  }
  t.equal(message?.split("\n").length, 1, "in one line");
});

t.test("settings - a number is digits and nothing else", async (t) => {
  for (const text of [
    "8080.5",
    "8e3",
    "0x50",
    " 8080",
    "8080 ",
    "8080/tcp",
    "-1",
    "NaN",
    "Infinity",
    "８０８０",
  ]) {
    t.ok(errorOf({ STAMPEDE_HTTP_PORT: text })?.includes("STAMPEDE_HTTP_PORT must be"), text);
  }
});

t.test("settings - a rate may have a fraction, and nothing else", async (t) => {
  t.equal(readSettings({ STAMPEDE_RATE_LIMIT: "0.001" }).rateLimit, 0.001);
  t.equal(readSettings({ STAMPEDE_RATE_LIMIT: "50" }).rateLimit, 50);
  t.match(readSettings({}), { rateLimit: 0, rateLimitBurst: 0 });
  for (const text of ["-1", ".5", "5.", "1e3", "1,5", "NaN", "Infinity", "1000001", " 1"]) {
    const message = `STAMPEDE_RATE_LIMIT must be a number from 0 to 1000000, not "${text}"`;
    t.ok(errorOf({ STAMPEDE_RATE_LIMIT: text })?.includes(message), text);
  }
});

t.test("settings - ranges for webhooks are read one by one, and a wrong one is named", async (t) => {
  t.match(readSettings({}), { webhookAllowHttp: "off", webhookAllowCidrs: [] });
  const settings = readSettings({
    STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
    STAMPEDE_WEBHOOK_ALLOW_CIDRS: "10.0.0.0/8, fd00::/8,::1/128",
  });
  t.equal(settings.webhookAllowHttp, "loopback");
  t.strictSame(settings.webhookAllowCidrs, ["10.0.0.0/8", "fd00::/8", "::1/128"]);
  for (const [text, wrong] of [
    ["10.0.0.0", "10.0.0.0"],
    ["10.0.0.0/8,10.0.0.1/8", "10.0.0.1/8"],
    ["10.0.0.0/8,", ""],
    ["10.0.0.0/8 fd00::/8", "10.0.0.0/8 fd00::/8"],
    ["private", "private"],
  ] as const) {
    const message = errorOf({ STAMPEDE_WEBHOOK_ALLOW_CIDRS: text });
    t.ok(message?.includes("STAMPEDE_WEBHOOK_ALLOW_CIDRS must be ranges such as"), text);
    t.ok(message?.includes(`and "${wrong}" is none`), text);
  }
  t.match(errorOf({ STAMPEDE_WEBHOOK_ALLOW_HTTP: "true" }), /must be one of off, loopback, on, not "true"/);
});

t.test("settings - a variable of ours that is not known is named, with those that are", async (t) => {
  const message = errorOf({ STAMPEDE_HTP_PORT: "8081", PATH: "/bin", STAMPEDEX: "is not ours" });
  t.match(message, /^wrong environment: STAMPEDE_HTP_PORT is not a setting; the settings are /);
  t.match(message, /STAMPEDE_HTTP_PORT/);
  t.notMatch(message, /PATH|STAMPEDEX/);
  t.match(errorOf({ STAMPEDE_HTP_PORT: "" }), /STAMPEDE_HTP_PORT/, "even an empty one");
  t.equal(errorOf({ STAMPEDE_TEST_SERVERS: "{}" }), undefined, "what the test suite sets is known");
});

t.test("settings - secrets are shown as set, and never printed", async (t) => {
  const secret = "hunter2";
  const env = { DATABASE_URL: `postgres://u:${secret}@h/d`, NATS_URL: `nats://u:${secret}@h` };
  const shown = describeSettings(readSettings(env));
  t.match(shown, { DATABASE_URL: "set", NATS_URL: "set", STAMPEDE_HTTP_PORT: 8080 });
  t.notMatch(JSON.stringify(shown), secret);
  t.match(describeSettings(readSettings({})), { DATABASE_URL: "not set", NATS_URL: "not set" });

  const wrong = errorOf({
    DATABASE_URL: `mysql://u:${secret}@h`,
    NATS_URL: `nats://u:${secret}@h,x:${secret}`,
  });
  t.match(wrong, /DATABASE_URL.*NATS_URL/);
  t.notMatch(wrong, secret, "nor when they are wrong");
});

t.test("settings - every setting is described under its own key", async (t) => {
  const settings = readSettings({});
  const shown = describeSettings(settings);
  t.equal(Object.keys(shown).length, Object.keys(settings).length);
  for (const key of Object.keys(shown)) t.match(key, /^(STAMPEDE_[A-Z_]+|DATABASE_URL|NATS_URL)$/);
});
