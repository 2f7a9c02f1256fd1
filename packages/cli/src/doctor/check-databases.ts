import { connectionsOf, type ServiceName } from "#contract";
import { webhookSecretContext } from "#domain";
import { PLATFORM_SCHEMA } from "#platform-db";
import {
  closeStore,
  compareRights,
  connectStore,
  type DatabaseServer,
  inspectServer,
  type MigrationState,
  migrationState,
  nameDatabase,
  type RightsReport,
  type Store,
} from "#postgres";
import { PUBLISHER_SCHEMA } from "#publisher-db";
import { causeOf, SecretBox, type Settings } from "#runtime";
import { explainFailure } from "../command-error.ts";
import { countReplayRejections, describeOpen } from "../replay/replay-rejections.ts";
import { loadNewestSecrets } from "../reseal/sealed-rows.ts";
import type { Databases } from "../servers.ts";
import { checkArchive } from "./check-backup.ts";
import type { ClockReading } from "./check-clocks.ts";
import { checkDatabaseDisk } from "./check-disks.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** A query of doctor that takes longer is a finding. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** SQLSTATE. */
const INSUFFICIENT_PRIVILEGE = "42501";
const PUBLISHER: readonly ServiceName[] = ["edge", "ingest", "rewards", "webhooks", "console"];
const PLATFORM: readonly ServiceName[] = ["platform"];
/** Missing rights that are named; the rest is counted. */
const SHOWN = 3;

interface DatabaseQuestion {
  readonly databases: Databases;
  readonly settings: Settings;
  /** STAMPEDE_ENCRYPTION_KEYS, or the running instance's. */
  readonly keys: string | undefined;
  /** The all-in-one's own, which archives nothing and is copied while it is stopped. */
  readonly embedded: boolean;
  readonly now: () => number;
}

/** The names of the databases for the owners of partitions (`CopyGuard`), if they answer. */
export type DatabaseNames = Map<"publisher" | "platform", string>;

/** The publisher's database, or the platform's; or both, if the platform has a schema in the publisher's. */
interface CheckedDatabase {
  readonly name: "database" | "platform database";
  readonly url: string;
  /** Whether it has the publisher's schema, and the platform's. */
  readonly publisher: boolean;
  readonly platform: boolean;
}

/** All checks of PostgreSQL. Adds its time to `clocks`, and the databases' names to `names`. */
export async function* checkDatabases(
  question: DatabaseQuestion,
  clocks: ClockReading[],
  names: DatabaseNames,
): AsyncGenerator<Finding> {
  const { publisher, platform } = question.databases;
  const isShared = publisher === platform;
  if (publisher !== undefined) {
    const database = { name: "database", url: publisher, publisher: true, platform: isShared } as const;
    yield* checkOne(database, question, clocks, names);
  }
  if (isShared) return;
  const own = { name: "platform database", url: platform, publisher: false, platform: true } as const;
  yield* checkOne(own, question, clocks, names);
}

async function* checkOne(
  database: CheckedDatabase,
  { settings, keys, embedded, now }: DatabaseQuestion,
  clocks: ClockReading[],
  names: DatabaseNames,
): AsyncGenerator<Finding> {
  const { name, url } = database;
  const address = addressOf(url);
  const store = connectStore({
    url,
    max: 1,
    applicationName: "stampede-doctor",
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const server = await inspectServer(store, now);
    clocks.push({ of: database.publisher ? "PostgreSQL" : "the platform's PostgreSQL", ...server.clock });
    yield judgeVersion(name, address, server);
    yield judgeDurability(name, server);
    yield judgeConnections(database, server, settings);
    yield await checkDatabaseDisk(`${name} disk`, store, url);
    if (!embedded) yield await checkArchive(`${name} archive`, store);
    const called = await nameDatabase(store);
    if (database.publisher) names.set("publisher", called);
    if (database.platform) names.set("platform", called);
    if (database.publisher) yield* checkPublisher(store, keys);
    if (database.platform) yield* checkPlatform(store);
  } catch (error) {
    yield fail(name, `${explainFailure(error)} (${address}): ${mendOf(error)}`);
  } finally {
    await closeStore(store);
  }
}

/** What to do about a server that does not answer or refuses the connection. */
function mendOf(error: unknown): string {
  const { code = "" } = error as { code?: string };
  if (causeOf(error) === "disk") return "free space on its disk";
  if (code === "3D000") return "correct the database's name at the end of its URL, or create that database";
  if (code.startsWith("28")) return "correct the user and the password in its URL";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "correct the host in its URL";
  if (code.startsWith("TLS_") || code.includes("CERT")) {
    return "correct sslmode in its URL, or STAMPEDE_DATABASE_CA_FILE";
  }
  if (code === "53300") return "end connections that are not needed, or raise max_connections";
  if (code === "42501") return "run doctor as the role that migrates";
  return "start it, or correct the host and port in its URL";
}

async function* checkPlatform(store: Store): AsyncGenerator<Finding> {
  const state = yield* checkSchema("platform schema", () => migrationState(store, PLATFORM_SCHEMA));
  if (state?.pending.length === 0) {
    yield judgeRights("platform rights", await compareRights(store, PLATFORM_SCHEMA));
  }
}

async function* checkPublisher(store: Store, keys: string | undefined): AsyncGenerator<Finding> {
  const state = yield* checkSchema("schema", () => migrationState(store, PUBLISHER_SCHEMA));
  // Before that there is no table to read.
  const isThere = state === undefined || state.pending.length === 0;
  if (state?.pending.length === 0) yield judgeRights("rights", await compareRights(store, PUBLISHER_SCHEMA));
  if (!isThere) return;
  yield await known(KEYS, () => checkKeys(store, keys));
  yield await known(REPLAY, () => checkReplay(store));
}

/** @returns undefined if it may not be read */
async function* checkSchema(
  check: string,
  look: () => Promise<MigrationState>,
): AsyncGenerator<Finding, MigrationState | undefined> {
  const state = await known(check, look);
  yield "check" in state ? state : judgeMigrations(check, state);
  return "check" in state ? undefined : state;
}

/** A finding of `warn` if this role may not read something: a service's own role may not read all. */
async function known<T>(check: string, look: () => Promise<T>): Promise<T | Finding> {
  try {
    return await look();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    return warn(check, `unknown, ${message}: run doctor as the role that migrates`);
  }
}

/** Host, port and database of a URL, without its password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

const OLDEST_VERSION = 14;

export function judgeVersion(name: string, address: string, server: DatabaseServer): Finding {
  const what = `PostgreSQL ${server.version} at ${address}`;
  if (Math.floor(server.versionNumber / 10_000) >= OLDEST_VERSION) return ok(name, what);
  return fail(name, `${what} is too old: use ${OLDEST_VERSION} or later`);
}

/** Whether a power loss would lose acknowledged commits. */
function judgeDurability(name: string, server: DatabaseServer): Finding {
  const check = `${name} durability`;
  const settings: ReadonlyArray<readonly [string, string]> = [
    ["fsync", server.fsync],
    ["full_page_writes", server.fullPageWrites],
    ["synchronous_commit", server.synchronousCommit],
  ];
  const off = settings.filter(([, value]) => value === "off").map(([setting]) => setting);
  if (off.length === 0) return ok(check, settings.map((pair) => pair.join(" ")).join(", "));
  return fail(
    check,
    `${off.join(", ")} off: a crash can lose what was acknowledged; set to on in postgresql.conf`,
  );
}

/** Compares the connection limit with the needs of one process of each service and one command. */
function judgeConnections(
  { name, publisher, platform }: CheckedDatabase,
  { connectionLimit, otherConnections }: DatabaseServer,
  settings: Settings,
): Finding {
  const services = [...(publisher ? PUBLISHER : []), ...(platform ? PLATFORM : [])];
  const check = `${name} connections`;
  const needed = services.reduce((sum, service) => sum + connectionsOf(service, settings), 1);
  const what = `one process of each service opens up to ${needed} of ${connectionLimit}`;
  if (needed > connectionLimit) return fail(check, `${what}: raise max_connections`);
  if (needed + otherConnections > connectionLimit) {
    return warn(check, `${what}, and others have ${otherConnections}: raise max_connections, or end some`);
  }
  const times = Math.floor((connectionLimit - otherConnections) / needed);
  return ok(check, `${what}, others have ${otherConnections}: enough for ${times} of each`);
}

function judgeMigrations(check: string, { pending, unknown, edited }: MigrationState): Finding {
  if (edited.length > 0) {
    return fail(check, `${edited.join(", ")} edited after being applied: run the version that applied it`);
  }
  if (pending.length > 0) {
    return fail(check, `misses ${pending.join(", ")}: run \`stampede migrate\``);
  }
  if (unknown.length > 0) {
    return warn(
      check,
      `has ${unknown.join(", ")} of a later version: check that this version may run beside it`,
    );
  }
  return ok(check, "all migrations of this version");
}

const REPLAY = "replay";

async function checkReplay(store: Store): Promise<Finding> {
  const open = await countReplayRejections(store);
  const said = describeOpen(open);
  return open.events === 0 ? ok(REPLAY, said) : warn(REPLAY, `${said}: stampede replay rejected --members`);
}

const KEYS = "encryption keys";
/** They are opened one by one; the first secret of a lost key shows it. */
const SECRETS_OPENED = 1000;

/** Whether the keys open the newest webhook secrets. All that a lost key sealed is lost. */
async function checkKeys(store: Store, keys: string | undefined): Promise<Finding> {
  const secrets = await loadNewestSecrets(store, SECRETS_OPENED);
  if (keys === undefined) {
    const what = "STAMPEDE_ENCRYPTION_KEYS is not set";
    if (secrets.length === 0) return warn(KEYS, `${what}: edge and webhooks do not start without it`);
    const sealers = [...new Set(secrets.map(({ keyId }) => keyId))].join(", ");
    return fail(
      KEYS,
      `${what}, and webhook secrets are sealed with ${sealers}: set it as the services have it`,
    );
  }
  const box = new SecretBox(keys);
  if (secrets.length === 0) return ok(KEYS, `no webhook secrets yet; ${box.currentKeyId} seals new ones`);
  const closed = secrets.filter((secret) => {
    try {
      box.open(secret, webhookSecretContext(secret.webhookId, secret.id));
      return false;
    } catch {
      return true;
    }
  });
  if (closed.length > 0) {
    const sealers = [...new Set(closed.map(({ keyId }) => keyId))].join(", ");
    const what = `${closed.length} of the ${secrets.length} newest webhook secrets do not open (sealed with ${sealers})`;
    return fail(
      KEYS,
      `${what}: add the lost key to STAMPEDE_ENCRYPTION_KEYS, or give the webhooks new secrets`,
    );
  }
  const older = secrets.filter(({ keyId }) => keyId !== box.currentKeyId).length;
  const opened = `the newest ${secrets.length} webhook secrets open`;
  return ok(
    KEYS,
    older === 0 ? opened : `${opened}; ${older} under an older key: \`stampede secrets rotate\` moves them`,
  );
}

/** Whether the services' roles have the rights that their statements need, and no others. */
function judgeRights(check: string, { areThere, missing, besides }: RightsReport): Finding {
  if (!areThere) return ok(check, "one user has everything: there are no roles of services here");
  const doThis = "run `stampede migrate` as stampede_owner";
  if (missing.length > 0) return fail(check, `missing ${someOf(missing)}: ${doThis}, which gives them`);
  if (besides.length > 0) return warn(check, `too many: ${someOf(besides)}: ${doThis}, which removes them`);
  return ok(check, "each role has those of this release, and no others");
}

function someOf(rights: readonly string[]): string {
  const more = rights.length - SHOWN;
  return `${rights.slice(0, SHOWN).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
