import { LIMITS } from "#contract";
import { HTTP_TARGETS } from "#domain";
import {
  basePath,
  cidrs,
  decimal,
  fieldName,
  file,
  groups,
  httpUrl,
  httpUrls,
  integer,
  keys,
  oneOf,
  optionalInteger,
  origin,
  port,
  type Setting,
  secretList,
  secretText,
  serverUrl,
  text,
} from "./setting.ts";

/** Every environment variable that any process of Stampede reads. Keys carry their unit. */
export const SETTINGS = {
  dataDir: text("STAMPEDE_DATA_DIR", { about: "state of the all-in-one start", fallback: ".stampede" }),
  databaseUrl: serverUrl("DATABASE_URL", {
    about: "PostgreSQL 14 or later; replaces the embedded one",
    protocols: ["postgres:", "postgresql:"],
  }),
  natsUrl: serverUrl("NATS_URL", {
    about: "NATS with JetStream, 2.10 or later; replaces the embedded one",
    protocols: ["nats:", "tls:"],
  }),
  natsMonitorUrls: httpUrls("STAMPEDE_NATS_MONITOR_URL", {
    about:
      "monitoring ports of all NATS servers, commas between: there it shows whether every write is synced",
  }),
  natsCaFile: file("STAMPEDE_NATS_CA_FILE", {
    about: "PEM file of the authority that signed NATS' certificate; demands TLS, as tls:// in NATS_URL does",
  }),
  natsCertFile: file("STAMPEDE_NATS_CERT_FILE", {
    about: "PEM file of this process's certificate, where NATS asks for one; with STAMPEDE_NATS_KEY_FILE",
  }),
  natsKeyFile: file("STAMPEDE_NATS_KEY_FILE", { about: "PEM file of the key of STAMPEDE_NATS_CERT_FILE" }),
  natsCredsFile: file("STAMPEDE_NATS_CREDS_FILE", {
    about: ".creds file of a NATS user with a JWT, instead of user and password in NATS_URL",
  }),
  databaseCaFile: file("STAMPEDE_DATABASE_CA_FILE", {
    about:
      "PEM file of the authority that signed PostgreSQL's certificate; demands TLS and its host name, as sslmode=verify-full does",
  }),
  httpHost: text("STAMPEDE_HTTP_HOST", { about: "publisher API, address", fallback: "127.0.0.1" }),
  httpPort: port("STAMPEDE_HTTP_PORT", { about: "publisher API, port", fallback: 8080 }),
  httpAdapter: oneOf("STAMPEDE_HTTP_ADAPTER", {
    about: "HTTP server: uWebSockets.js where it has a binary, else node:http",
    fallback: "auto",
    values: ["auto", "uws", "node"],
  }),
  platformDatabaseUrl: serverUrl("STAMPEDE_PLATFORM_DATABASE_URL", {
    about:
      "PostgreSQL of the reference platform; without it the platform has a schema of its own in DATABASE_URL",
    protocols: ["postgres:", "postgresql:"],
  }),
  platformHost: text("STAMPEDE_PLATFORM_HOST", {
    about: "reference platform, address",
    fallback: "127.0.0.1",
  }),
  platformPort: port("STAMPEDE_PLATFORM_PORT", { about: "reference platform, port", fallback: 8090 }),
  consoleHost: text("STAMPEDE_CONSOLE_HOST", {
    about: "console, address; other than loopback only behind proxies of STAMPEDE_CONSOLE_PROXIES",
    fallback: "127.0.0.1",
  }),
  consolePort: port("STAMPEDE_CONSOLE_PORT", { about: "console, port", fallback: 8070 }),
  consoleBasePath: basePath("STAMPEDE_CONSOLE_BASE_PATH", {
    about: "path under which a proxy shows the console, such as /console/",
    fallback: "/",
  }),
  consoleOrigin: origin("STAMPEDE_CONSOLE_ORIGIN", {
    about:
      "where browsers see the console, such as https://stampede.example.com; behind a proxy it is needed",
  }),
  consoleProxies: cidrs("STAMPEDE_CONSOLE_PROXIES", {
    about:
      "addresses of the proxies that say who a caller of the console is, commas between; without them a one-time link does",
  }),
  consoleUserHeader: fieldName("STAMPEDE_CONSOLE_USER_HEADER", {
    about: "header in which those proxies name the user; from anybody else it is ignored",
    fallback: "x-forwarded-user",
  }),
  consoleGroupsHeader: fieldName("STAMPEDE_CONSOLE_GROUPS_HEADER", {
    about: "header in which they name the user's groups, commas between",
    fallback: "x-forwarded-groups",
  }),
  consoleGroups: groups("STAMPEDE_CONSOLE_GROUPS", {
    about:
      "which group has which role, commas between: `ops=operator,admins=administrator,helpdesk=support:<organisation>`",
  }),
  consoleTokens: secretList("STAMPEDE_CONSOLE_TOKENS", {
    about: "API tokens of the organisations that the console shows, white space or commas between",
  }),
  consolePlatformToken: secretText("STAMPEDE_CONSOLE_PLATFORM_TOKEN", {
    about:
      "the platform's token, for programmes and for why a purchase earned nothing; without it they are not shown",
  }),
  consolePublisherUrl: httpUrl("STAMPEDE_CONSOLE_PUBLISHER_URL", {
    about: "where the console finds the publisher API",
    fallback: "http://127.0.0.1:8080",
  }),
  consolePlatformUrl: httpUrl("STAMPEDE_CONSOLE_PLATFORM_URL", {
    about: "where the console finds the platform",
    fallback: "http://127.0.0.1:8090",
  }),
  consoleOpsUrls: httpUrls("STAMPEDE_CONSOLE_OPS_URLS", {
    about: "operations endpoints of all processes that the console's live page shows, commas between",
  }),
  consoleOperatorNatsUrl: serverUrl("STAMPEDE_CONSOLE_OPERATOR_NATS_URL", {
    about:
      "NATS with the operator's user: with it dead letters can be put back and discarded from the console",
    protocols: ["nats:", "tls:"],
  }),
  consoleAuditRetentionDays: integer("STAMPEDE_CONSOLE_AUDIT_RETENTION_DAYS", {
    about: "how long lines of the console's audit are kept",
    fallback: 400,
    min: 1,
    max: 36_500,
  }),
  consoleUrl: httpUrl("STAMPEDE_CONSOLE_URL", {
    about:
      "where the publisher API's start page leads to, the console's address; without it to its reference",
    fallback: undefined,
  }),
  opsHost: text("STAMPEDE_OPS_HOST", { about: "operations endpoints, address", fallback: "127.0.0.1" }),
  opsPort: port("STAMPEDE_OPS_PORT", { about: "operations endpoints, port", fallback: 9464 }),
  drainDelayMs: integer("STAMPEDE_DRAIN_DELAY_MS", {
    about:
      "after SIGTERM, how long to be not ready and still take requests, so that load balancers look away first",
    fallback: 0,
    min: 0,
    max: LIMITS.drainDelayMaxMs,
  }),
  logLevel: oneOf("STAMPEDE_LOG_LEVEL", {
    about: "least severe level that is logged",
    fallback: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal"],
  }),
  encryptionKeys: keys("STAMPEDE_ENCRYPTION_KEYS", {
    about:
      "keys for secrets at rest, `id:base64` of 32 bytes, newest first, commas between; edge and webhooks need them",
  }),
  rateLimit: decimal("STAMPEDE_RATE_LIMIT", {
    about: "requests per second and API token in each edge process; 0 is no limit",
    fallback: 0,
    max: 1_000_000,
  }),
  rateLimitBurst: integer("STAMPEDE_RATE_LIMIT_BURST", {
    about: "requests that a token may make at once after a rest; 0 is what one second allows",
    fallback: 0,
    min: 0,
    max: 1_000_000,
  }),
  authFailuresPerMinute: integer("STAMPEDE_AUTH_FAILURES_PER_MINUTE", {
    about:
      "wrong tokens a minute and client address that each edge process looks up; past them 429; 0 is no limit",
    fallback: 60,
    min: 0,
    max: 1_000_000,
  }),
  trustedProxies: cidrs("STAMPEDE_TRUSTED_PROXIES", {
    about:
      "addresses of the proxies in front of the edge, commas between; without them private addresses are not counted",
  }),
  clientAddressHeader: fieldName("STAMPEDE_CLIENT_ADDRESS_HEADER", {
    about: "header in which those proxies name the client's address; from anybody else it is ignored",
    fallback: "x-forwarded-for",
  }),
  webhookAllowHttp: oneOf("STAMPEDE_WEBHOOK_ALLOW_HTTP", {
    about: "whether webhooks may have plain http URLs; `loopback`: only of this machine",
    fallback: "off",
    values: HTTP_TARGETS,
  }),
  webhookAllowCidrs: cidrs("STAMPEDE_WEBHOOK_ALLOW_CIDRS", {
    about: "ranges of addresses that are not public and that webhooks may go to all the same, commas between",
  }),
  webhookSlots: integer("STAMPEDE_WEBHOOK_SLOTS", {
    about: "webhooks that one process delivers to at the same time; one that hangs holds a slot for 15 s",
    fallback: 1000,
    min: 1,
    max: 10_000,
  }),
  streamPrefix: text("STAMPEDE_STREAM_PREFIX", {
    about: "put before every stream and subject, so that several installations can share one NATS",
    fallback: "",
  }),
  partitions: integer("STAMPEDE_PARTITIONS", {
    about: "partitions of the streams; fixed once the streams exist",
    fallback: 2,
    min: 1,
    max: 256,
  }),
  streamMaxBytes: integer("STAMPEDE_STREAM_MAX_BYTES", {
    about: "disk that each ingest partition may fill before new events get 503",
    fallback: 512 * 1024 * 1024,
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
  }),
  linkMaxBytes: integer("STAMPEDE_LINK_MAX_BYTES", {
    about:
      "disk that the partitions of each hop to and from the platform may fill together before ingestion waits",
    fallback: 1024 * 1024 * 1024,
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
  }),
  streamReplicas: oneOf("STAMPEDE_STREAM_REPLICAS", {
    about:
      "copies of each stream, on as many nodes of a NATS cluster; raised on existing streams, never lowered",
    fallback: "1",
    values: ["1", "3", "5"],
  }),
  ingestWriters: integer("STAMPEDE_INGEST_WRITERS", {
    about: "batches that one ingest process writes at the same time",
    fallback: 2,
    min: 1,
    max: 64,
  }),
  ingestThreads: integer("STAMPEDE_INGEST_THREADS", {
    about: "worker threads that parse and hash; 0 does it on the main thread",
    fallback: 1,
    min: 0,
    max: 64,
  }),
  transactionRetentionDays: optionalInteger("STAMPEDE_TRANSACTION_RETENTION_DAYS", {
    about:
      "days that settled transactions are kept, with what they earned; without it they are kept for ever",
    min: LIMITS.transactionKeptDaysMin,
    max: LIMITS.transactionKeptDaysMax,
  }),
} as const satisfies Record<string, Setting<unknown>>;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Settings = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/** Variables with our prefix that are not in `SETTINGS`, because the test suite reads them. */
export const ALSO_KNOWN: ReadonlySet<string> = new Set(["STAMPEDE_TEST_SERVERS"]);
