import t from "tap";
import { makeEncryptionKey } from "../secret-box.ts";
import type { Environment } from "./given-setting.ts";
import { describeSettings, readSettings, reportSettings, SettingsError } from "./read-settings.ts";

/** The message of the SettingsError for this environment, or undefined if there is none. */
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

t.test("settings - transactions are kept for ever, or for at least 90 days", async (t) => {
  const read = (days: string) => readSettings({ STAMPEDE_TRANSACTION_RETENTION_DAYS: days });
  t.equal(readSettings({}).transactionRetentionDays, undefined);
  t.equal(read("").transactionRetentionDays, undefined);
  t.equal(read("90").transactionRetentionDays, 90);
  for (const days of ["89", "0", "-1", "90.5", "forever"]) {
    t.match(
      errorOf({ STAMPEDE_TRANSACTION_RETENTION_DAYS: days }),
      /must be a whole number from 90 to 36500/,
    );
  }
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

t.test("settings - monitoring ports of NATS: plain URLs, without credentials", async (t) => {
  const read = (text: string) => readSettings({ STAMPEDE_NATS_MONITOR_URL: text }).natsMonitorUrls;
  t.strictSame(readSettings({}).natsMonitorUrls, []);
  t.strictSame(read("http://n1:8222, https://n2"), ["http://n1:8222", "https://n2"]);
  for (const text of ["n1:8222", "nats://n1:8222", "http://user:secret@n1:8222", "http://n1,"]) {
    const message = errorOf({ STAMPEDE_NATS_MONITOR_URL: text });
    t.match(message, /STAMPEDE_NATS_MONITOR_URL must be URLs such as/, text);
    t.notMatch(message, /secret/);
  }
});

t.test("settings - of the console: paths, origins, groups and lists of secrets have one form", async (t) => {
  const read = (key: string, value: string) => readSettings({ [`STAMPEDE_CONSOLE_${key}`]: value });
  for (const [given, path] of [
    ["/", "/"],
    ["console", "/console/"],
    ["/a/b", "/a/b/"],
    ["//a//", "/a/"],
  ] as const) {
    t.equal(read("BASE_PATH", given).consoleBasePath, path, given);
  }
  for (const wrong of ["/a b", "/../x", "/a?b", '/"x"', "/a/./b"])
    t.throws(() => read("BASE_PATH", wrong), wrong);
  t.equal(read("ORIGIN", "https://Bank.example/").consoleOrigin, "https://bank.example");
  for (const wrong of [
    "bank.example",
    "https://bank.example/console",
    "ftp://x",
    "https://u:p@bank.example",
  ]) {
    t.throws(() => read("ORIGIN", wrong), { message: /must be an origin/ }, wrong);
  }
  t.strictSame(read("GROUPS", "a=operator, help desk=support:org_1").consoleGroups, [
    "a=operator",
    "help desk=support:org_1",
  ]);
  for (const wrong of ["a", "a=support", "a=support:", "a=root", "=operator", "a=operator,"]) {
    t.throws(() => read("GROUPS", wrong), { message: /must be entries/ }, wrong);
  }
  t.strictSame(read("TOKENS", "one\ntwo, three\n").consoleTokens, ["one", "two", "three"]);
  t.throws(() => read("PUBLISHER_URL", "http://u:p@host"), { message: /without user and password/ });
});

t.test("settings - a variable of ours that is not known is named, with those that are", async (t) => {
  const message = errorOf({ STAMPEDE_HTP_PORT: "8081", PATH: "/bin", STAMPEDEX: "is not ours" });
  t.equal(message, "wrong environment: STAMPEDE_HTP_PORT is not a setting: did you mean STAMPEDE_HTTP_PORT?");
  for (const [wrong, meant] of [
    ["STAMPEDE_DATABASE_URL", "DATABASE_URL"],
    ["STAMPEDE_DATABASE_URL_FILE", "DATABASE_URL_FILE"],
    ["STAMPEDE_ENCRYPTION_KEY", "STAMPEDE_ENCRYPTION_KEYS"],
    ["STAMPEDE_ENCRYPTION_KEY_FILE", "STAMPEDE_ENCRYPTION_KEYS_FILE"],
    ["STAMPEDE_PARTITION", "STAMPEDE_PARTITIONS"],
    ["STAMPEDE_LGO_LEVEL", "STAMPEDE_LOG_LEVEL"],
    ["STAMPEDE_LOGLEVEL", "STAMPEDE_LOG_LEVEL"],
    ["STAMPEDE_WEBHOOKS_SLOTS", "STAMPEDE_WEBHOOK_SLOTS"],
  ] as const) {
    t.match(errorOf({ [wrong]: "x" }), `${wrong} is not a setting: did you mean ${meant}?`);
  }
  t.match(errorOf({ STAMPEDE_TURBO: "1" }), /STAMPEDE_TURBO is not a setting: docs\/settings.md lists them$/);
  t.match(
    errorOf({ STAMPEDE_NATS_EDGE_PASSWORD: "p1" }),
    /STAMPEDE_NATS_EDGE_PASSWORD is not a setting: it is of NATS' environment/,
  );
  t.match(
    errorOf({ STAMPEDE_PLATFORM_API_SERVICE_HOST: "10.0.0.1" }),
    /STAMPEDE_PLATFORM_API_SERVICE_HOST is not a setting: Kubernetes makes it .* enableServiceLinks: false/,
  );
  t.match(
    errorOf({ STAMPEDE_HTTP_PORT_FILE: "/x" }),
    /STAMPEDE_HTTP_PORT_FILE is not a setting: STAMPEDE_HTTP_PORT holds no secret, so it is set itself$/,
  );
  t.match(errorOf({ STAMPEDE_HTP_PORT: "" }), /STAMPEDE_HTP_PORT/, "even an empty one");
  t.equal(errorOf({ STAMPEDE_TEST_SERVERS: "{}" }), undefined, "the test suite's own variable is known");
  t.equal(
    errorOf({ STAMPEDE_URL: "http://127.0.0.1:8080", STAMPEDE_TOKEN: "t" }),
    undefined,
    "so are the examples'",
  );
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
  t.notMatch(wrong, secret, "even if they are wrong");
});

t.test("settings - every setting is described under its own key", async (t) => {
  const settings = readSettings({});
  const shown = describeSettings(settings);
  t.equal(Object.keys(shown).length, Object.keys(settings).length);
  for (const key of Object.keys(shown)) t.match(key, /^(STAMPEDE_[A-Z_]+|DATABASE_URL|NATS_URL)$/);
});

t.test("settings - a secret may be in a file, whose last newline is not part of it", async (t) => {
  const key = makeEncryptionKey(new Date());
  const url = "postgres://u:hunter2@h/d";
  const dir = t.testdir({ keys: `${key}\n`, database: `${url}\r\n`, nats: "nats://u:hunter2@h" });
  const env = {
    STAMPEDE_ENCRYPTION_KEYS_FILE: `${dir}/keys`,
    DATABASE_URL_FILE: `${dir}/database`,
    NATS_URL_FILE: `${dir}/nats`,
    DATABASE_URL: "",
    STAMPEDE_PLATFORM_DATABASE_URL_FILE: "",
  };
  const { settings, rows } = reportSettings(env);
  t.match(settings, { encryptionKeys: key, databaseUrl: url, natsUrl: "nats://u:hunter2@h" });
  t.equal(settings.platformDatabaseUrl, undefined);
  const row = (name: string) => rows.find(({ key }) => key === name);
  t.match(row("DATABASE_URL"), { value: "set", origin: "file", file: `${dir}/database`, secret: true });
  t.match(row("STAMPEDE_PLATFORM_DATABASE_URL"), { value: "not set", origin: "default" });
  t.match(
    reportSettings({ STAMPEDE_HTTP_PORT: "81" }).rows.find(({ key }) => key === "STAMPEDE_HTTP_PORT"),
    {
      value: 81,
      origin: "environment",
    },
  );
  t.notMatch(JSON.stringify(rows), "hunter2");
});

t.test("settings - a fault of a file is reported with its path, never with its content", async (t) => {
  const long = "x".repeat(64 * 1024 + 1);
  const dir = t.testdir({ wrong: "hunter2\n", empty: "\n", folder: {}, long });
  const problemsOf = (env: Environment): readonly string[] => {
    try {
      readSettings(env);
    } catch (error) {
      if (error instanceof SettingsError) return error.problems;
    }
    return [];
  };
  t.strictSame(
    problemsOf({
      DATABASE_URL: "postgres://u:hunter2@h/d",
      DATABASE_URL_FILE: `${dir}/wrong`,
      NATS_URL_FILE: `${dir}/none`,
      STAMPEDE_PLATFORM_DATABASE_URL_FILE: `${dir}/empty`,
      STAMPEDE_ENCRYPTION_KEYS_FILE: `${dir}/wrong`,
      STAMPEDE_HTTP_PORT: "x",
    }),
    [
      "DATABASE_URL and DATABASE_URL_FILE are both set: remove one of them",
      `NATS_URL_FILE names ${dir}/none, which cannot be read (ENOENT): put the value there, or correct the path`,
      'STAMPEDE_HTTP_PORT must be a whole number from 0 to 65535, not "x"',
      `STAMPEDE_PLATFORM_DATABASE_URL_FILE names ${dir}/empty, which is empty`,
      `STAMPEDE_ENCRYPTION_KEYS_FILE (${dir}/wrong) key 1 must be an id, a colon and the base64 of 32 bytes`,
    ],
  );
  t.strictSame(problemsOf({ NATS_URL_FILE: `${dir}/folder` }), [
    `NATS_URL_FILE names ${dir}/folder, which cannot be read (EISDIR): name a file that holds the value alone`,
  ]);
  for (const path of [`${dir}/long`, "/dev/zero"]) {
    t.strictSame(problemsOf({ NATS_URL_FILE: path }), [
      `NATS_URL_FILE names ${path}, which cannot be read (more than 65536 bytes): name a file that holds the value alone`,
    ]);
  }
});

t.test("settings - two servers of one process cannot have one address", async (t) => {
  const ports = { STAMPEDE_HTTP_PORT: "9000", STAMPEDE_OPS_PORT: "9000" };
  t.match(errorOf(ports), /STAMPEDE_HTTP_PORT and STAMPEDE_OPS_PORT are both 9000/);
  t.match(errorOf({ ...ports, STAMPEDE_OPS_HOST: "0.0.0.0" }), /are both 9000/);
  t.equal(errorOf({ ...ports, STAMPEDE_OPS_HOST: "127.0.0.2" }), undefined);
  t.match(errorOf({ STAMPEDE_PLATFORM_PORT: "9464" }), /STAMPEDE_PLATFORM_PORT and STAMPEDE_OPS_PORT/);
  t.equal(errorOf({ STAMPEDE_HTTP_PORT: "0", STAMPEDE_OPS_PORT: "0" }), undefined);
  t.equal(
    errorOf({ STAMPEDE_PLATFORM_PORT: "8080" }),
    undefined,
    "the edge and the platform are two processes",
  );
});
