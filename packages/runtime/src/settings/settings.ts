import { LIMITS, SERVICE_NAMES, type ServiceName } from "#contract";
import { HTTP_TARGETS } from "#domain";
import { CONSOLE_SETTINGS } from "./console-settings.ts";
import {
  cidrs,
  fieldName,
  file,
  httpUrls,
  integer,
  keys,
  oneOf,
  optionalInteger,
  port,
  type Setting,
  serverUrl,
  text,
} from "./setting.ts";
import { SHARE_SETTINGS } from "./share-settings.ts";

const EVERY_SERVICE: readonly ServiceName[] = SERVICE_NAMES;
/** These services make the streams that they write or read; `stampede migrate` makes all of them. */
const STREAM_MAKERS: readonly ServiceName[] = ["edge", "ingest", "platform", "rewards"];

/** Every environment variable that any process of Stampede reads. Keys include their unit. */
export const SETTINGS = {
  dataDir: text("STAMPEDE_DATA_DIR", {
    about: "folder for the state of the all-in-one start",
    readers: ["npm start"],
    more: "Commands find the running instance by it.",
    fallback: ".stampede",
  }),
  backupDoneFile: file("STAMPEDE_BACKUP_DONE_FILE", {
    about: "file that your backup touches when it ends; `stampede doctor` shows its age",
    readers: ["stampede doctor"],
  }),
  databaseUrl: serverUrl("DATABASE_URL", {
    about: "PostgreSQL 14 or later; replaces the embedded one",
    readers: EVERY_SERVICE,
    without: "the embedded one, with `npm start`",
    more:
      "The platform reads it only if it has none of its own. `?sslmode=verify-full` trusts the authorities that " +
      "Node trusts.",
    protocols: ["postgres:", "postgresql:"],
  }),
  natsUrl: serverUrl("NATS_URL", {
    about: "NATS with JetStream, 2.10 or later; replaces the embedded one",
    readers: EVERY_SERVICE,
    without: "the embedded one, with `npm start`",
    more: "Separate the nodes of a cluster by commas.",
    protocols: ["nats:", "tls:"],
  }),
  natsMonitorUrls: httpUrls("STAMPEDE_NATS_MONITOR_URL", {
    about:
      "monitoring URLs of all NATS servers, separated by commas; they show whether every write is synced",
    readers: EVERY_SERVICE,
    more: "Such as `http://nats:8222`. Without it the fsync mode of an external NATS is unknown.",
  }),
  natsCaFile: file("STAMPEDE_NATS_CA_FILE", {
    about:
      "PEM file of the authority that signed NATS' certificate; requires TLS, as tls:// in NATS_URL does",
    readers: EVERY_SERVICE,
  }),
  natsCertFile: file("STAMPEDE_NATS_CERT_FILE", {
    about: "PEM file of this process's certificate, if NATS asks for one; needs STAMPEDE_NATS_KEY_FILE",
    readers: EVERY_SERVICE,
  }),
  natsKeyFile: file("STAMPEDE_NATS_KEY_FILE", {
    about: "PEM file of the key of STAMPEDE_NATS_CERT_FILE",
    readers: EVERY_SERVICE,
  }),
  natsCredsFile: file("STAMPEDE_NATS_CREDS_FILE", {
    about: ".creds file of a NATS user with a JWT, instead of user and password in NATS_URL",
    readers: EVERY_SERVICE,
  }),
  databaseCaFile: file("STAMPEDE_DATABASE_CA_FILE", {
    about:
      "PEM file of the authority that signed PostgreSQL's certificate; requires TLS and the host name, as sslmode=verify-full does",
    readers: EVERY_SERVICE,
    more: "No connection ever falls back to plain text.",
  }),
  httpHost: text("STAMPEDE_HTTP_HOST", {
    about: "publisher API, address",
    readers: ["edge"],
    fallback: "127.0.0.1",
  }),
  httpPort: port("STAMPEDE_HTTP_PORT", {
    about: "publisher API, port",
    readers: ["edge"],
    more: "0 takes any free port.",
    fallback: 8080,
  }),
  httpAdapter: oneOf("STAMPEDE_HTTP_ADAPTER", {
    about: "HTTP server: node:http or uWebSockets.js; auto takes uWebSockets.js where it has a binary",
    readers: ["edge", "platform"],
    more: "`uws` is uWebSockets.js, which is faster and accepts [fewer requests](api.md#over-uwebsocketsjs): no chunked body, no pipelining.",
    fallback: "node",
    values: ["node", "uws", "auto"],
  }),
  platformDatabaseUrl: serverUrl("STAMPEDE_PLATFORM_DATABASE_URL", {
    about: "PostgreSQL of the reference platform; without it the platform uses DATABASE_URL",
    readers: ["platform"],
    without: "`DATABASE_URL`",
    more: "The platform uses only the schema `platform`.",
    protocols: ["postgres:", "postgresql:"],
  }),
  platformHost: text("STAMPEDE_PLATFORM_HOST", {
    about: "reference platform, address",
    readers: ["platform"],
    fallback: "127.0.0.1",
  }),
  platformPort: port("STAMPEDE_PLATFORM_PORT", {
    about: "reference platform, port",
    readers: ["platform"],
    more: "With `npm start` its token is in `<data dir>/platform-token`.",
    fallback: 8090,
  }),
  ...CONSOLE_SETTINGS,
  opsHost: text("STAMPEDE_OPS_HOST", {
    about: "operations endpoints, address",
    readers: EVERY_SERVICE,
    more: "`/livez`, `/readyz` and `/metrics`; each process has its own.",
    fallback: "127.0.0.1",
  }),
  opsPort: port("STAMPEDE_OPS_PORT", {
    about: "operations endpoints, port",
    readers: EVERY_SERVICE,
    more: "On one machine each process needs its own port.",
    fallback: 9464,
  }),
  drainDelayMs: integer("STAMPEDE_DRAIN_DELAY_MS", {
    about:
      "time after SIGTERM in which a process is not ready and still takes requests, so that load balancers leave it first",
    readers: ["edge", "platform"],
    unit: "ms",
    more: "The drain itself takes 28 s at most.",
    fallback: 0,
    min: 0,
    max: LIMITS.drainDelayMaxMs,
  }),
  logLevel: oneOf("STAMPEDE_LOG_LEVEL", {
    about: "least severe level that is logged",
    readers: EVERY_SERVICE,
    more: "Logs are JSON lines; those of `npm start` are in `<data dir>/logs/`.",
    fallback: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal"],
  }),
  encryptionKeys: keys("STAMPEDE_ENCRYPTION_KEYS", {
    about: "keys for secrets at rest, `id:base64` of 32 bytes, newest first, separated by commas",
    readers: ["edge", "webhooks"],
    without: "`npm start` makes one, in `<data dir>/encryption-key`",
    more: "`k1:$(openssl rand -base64 32)` makes one. Neither service starts without keys, and both need the same ones. Secrets sealed with a lost key are lost. [How to change keys](operations/secrets.md).",
  }),
  ...SHARE_SETTINGS,
  trustedProxies: cidrs("STAMPEDE_TRUSTED_PROXIES", {
    about:
      "addresses of the proxies in front of edge and platform, separated by commas; without them private addresses are not limited",
    readers: ["edge", "platform"],
  }),
  clientAddressHeader: fieldName("STAMPEDE_CLIENT_ADDRESS_HEADER", {
    about: "header in which these proxies name the client's address; ignored from any other address",
    readers: ["edge", "platform"],
    fallback: "x-forwarded-for",
  }),
  webhookAllowHttp: oneOf("STAMPEDE_WEBHOOK_ALLOW_HTTP", {
    about: "whether webhooks may have plain http URLs; `loopback`: only on this machine",
    readers: ["edge", "webhooks"],
    without: "`off`; with `npm start` `loopback`",
    fallback: "off",
    values: HTTP_TARGETS,
  }),
  webhookAllowCidrs: cidrs("STAMPEDE_WEBHOOK_ALLOW_CIDRS", {
    about: "ranges of addresses that are not public but allowed for webhooks, separated by commas",
    readers: ["edge", "webhooks"],
    without: "none; with `npm start` `127.0.0.0/8,::1/128`",
    more: "Such as `10.0.0.0/8,fd00::/8`.",
  }),
  webhookSlots: integer("STAMPEDE_WEBHOOK_SLOTS", {
    about:
      "webhooks that one process delivers to at the same time; organisations share them. A target that hangs holds a slot for 15 s",
    readers: ["webhooks"],
    unit: "webhooks",
    fallback: 1000,
    min: 1,
    max: 10_000,
  }),
  streamPrefix: text("STAMPEDE_STREAM_PREFIX", {
    about: "prefix of every stream and subject, so that several installations can share one NATS",
    readers: EVERY_SERVICE,
    fallback: "",
  }),
  partitions: integer("STAMPEDE_PARTITIONS", {
    about: "partitions of the streams; fixed once the streams exist",
    readers: STREAM_MAKERS,
    unit: "partitions",
    more:
      "Each has one owner in each service; ingest handles one batch of each at a time. [How " +
      "many](sizing.md#partitions).",
    fallback: 2,
    min: 1,
    max: 256,
  }),
  streamMaxBytes: integer("STAMPEDE_STREAM_MAX_BYTES", {
    about:
      "bytes on disk that each ingest partition, CONFIG and DEAD may fill; if an ingest partition is full, the edge answers 503",
    readers: STREAM_MAKERS,
    unit: "bytes",
    fallback: 512 * 1024 * 1024,
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
  }),
  replayMinutes: integer("STAMPEDE_REPLAY_MINUTES", {
    about:
      "time for which streams keep messages that are done, in case a database is restored to an older moment; at most half of a stream's bytes",
    readers: ["ingest", "platform", "rewards"],
    unit: "minutes",
    fallback: 60,
    min: 0,
    max: 1440,
  }),
  linkMaxBytes: integer("STAMPEDE_LINK_MAX_BYTES", {
    about:
      "bytes on disk that all partitions of a hop to or from the platform may fill together; then the service that writes the stream waits",
    readers: STREAM_MAKERS,
    unit: "bytes",
    more: "The hops are PLATFORM_TX, OUTCOMES and SETTLEMENT.",
    fallback: 1024 * 1024 * 1024,
    min: 1024 * 1024,
    max: Number.MAX_SAFE_INTEGER,
  }),
  streamReplicas: oneOf("STAMPEDE_STREAM_REPLICAS", {
    about:
      "copies of each stream, each on its own node of the NATS cluster; Stampede raises the number on existing streams and never lowers it",
    readers: STREAM_MAKERS,
    unit: "copies",
    more: "`3` survives the loss of one node, `5` of two.",
    fallback: "1",
    values: ["1", "3", "5"],
  }),
  ingestWriters: integer("STAMPEDE_INGEST_WRITERS", {
    about: "batches that one ingest process writes at the same time, each of other partitions",
    readers: ["ingest"],
    unit: "batches",
    fallback: 2,
    min: 1,
    max: 64,
  }),
  ingestThreads: integer("STAMPEDE_INGEST_THREADS", {
    about: "worker threads that parse and hash; with 0 the main thread does it",
    readers: ["ingest"],
    unit: "threads",
    more: "They take batches of more than 64 events.",
    fallback: 1,
    min: 0,
    max: 64,
  }),
  transactionRetentionDays: optionalInteger("STAMPEDE_TRANSACTION_RETENTION_DAYS", {
    about:
      "days for which settled transactions are kept, with their rewards; without it they are kept for ever",
    readers: ["ingest"],
    unit: "days",
    without: "for ever",
    more: "At least 90; ingest removes older ones ([more](data.md#how-long-transactions-are-kept)).",
    min: LIMITS.transactionKeptDaysMin,
    max: LIMITS.transactionKeptDaysMax,
  }),
} as const satisfies Record<string, Setting<unknown>>;

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Settings = { readonly [K in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[K]> };

/**
 * Variables with our prefix that are not in `SETTINGS`: the test suite reads them, or programs of integrators
 * do (the examples, those of the client's README, the receivers of webhooks), and a shell that exports them
 * may also start services.
 */
export const ALSO_KNOWN: ReadonlySet<string> = new Set([
  "STAMPEDE_TEST_SERVERS",
  "STAMPEDE_URL",
  "STAMPEDE_TOKEN",
  "STAMPEDE_PLATFORM_URL",
  "STAMPEDE_PLATFORM_TOKEN",
  "STAMPEDE_WEBHOOK_SECRET",
]);
