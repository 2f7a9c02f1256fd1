import { connectionsOf, type ServiceName } from "#contract";
import { webhookSecretContext } from "#domain";
import { platformMigrationState } from "#platform-db";
import {
  closeStore,
  connectStore,
  type DatabaseServer,
  inspectServer,
  type MigrationState,
  type Store,
} from "#postgres";
import { publisherMigrationState } from "#publisher-db";
import { SecretBox, type Settings } from "#runtime";
import { explainFailure } from "../command-error.ts";
import { loadNewestSecrets } from "../reseal/sealed-rows.ts";
import type { Databases } from "../servers.ts";
import type { ClockReading } from "./check-clocks.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** If one of doctor's queries takes longer, that is a finding. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** SQLSTATE. */
const INSUFFICIENT_PRIVILEGE = "42501";
const PUBLISHER: readonly ServiceName[] = ["edge", "ingest", "rewards", "webhooks"];
const PLATFORM: readonly ServiceName[] = ["platform"];

interface DatabaseQuestion {
  readonly databases: Databases;
  readonly settings: Settings;
  /** STAMPEDE_ENCRYPTION_KEYS, or the running instance's. */
  readonly keys: string | undefined;
  readonly now: () => number;
}

/** All checks of PostgreSQL. Adds what its clock said to `clocks`. */
export async function* checkDatabases(
  { databases: { publisher, platform }, ...rest }: DatabaseQuestion,
  clocks: ClockReading[],
): AsyncGenerator<Finding> {
  if (publisher === platform) {
    const role = { name: "database", services: [...PUBLISHER, ...PLATFORM], address: addressOf(platform) };
    yield* checkOne(platform, role, { publisher: true, platform: true, ...rest }, clocks);
    return;
  }
  if (publisher !== undefined) {
    const role = { name: "database", services: PUBLISHER, address: addressOf(publisher) };
    yield* checkOne(publisher, role, { publisher: true, platform: false, ...rest }, clocks);
  }
  const role = { name: "platform database", services: PLATFORM, address: addressOf(platform) };
  yield* checkOne(platform, role, { publisher: false, platform: true, ...rest }, clocks);
}

interface Scope extends Omit<DatabaseQuestion, "databases"> {
  /** Whose schema should be in this database. */
  readonly publisher: boolean;
  readonly platform: boolean;
}

async function* checkOne(
  url: string,
  role: DatabaseRole,
  scope: Scope,
  clocks: ClockReading[],
): AsyncGenerator<Finding> {
  const store = connectStore({
    url,
    max: 1,
    applicationName: "stampede-doctor",
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const server = await inspectServer(store, scope.now);
    clocks.push({ of: scope.publisher ? "PostgreSQL" : "the platform's PostgreSQL", ...server.clock });
    yield judgeVersion(role, server);
    yield judgeDurability(role, server);
    yield judgeConnections(role, server, scope.settings);
    yield* checkContents(store, scope);
  } catch (error) {
    yield fail(
      role.name,
      `${explainFailure(error)} (${role.address}): start it, or correct its URL and password`,
    );
  } finally {
    await closeStore(store);
  }
}

async function* checkContents(store: Store, scope: Scope): AsyncGenerator<Finding> {
  if (scope.publisher) {
    const state = await known("schema", () => publisherMigrationState(store));
    yield "check" in state ? state : judgeMigrations("schema", state);
    // Before that there is no table to read.
    const isThere = "check" in state || state.pending.length === 0;
    if (isThere) yield await known(KEYS, () => checkKeys(store, scope.keys));
  }
  if (scope.platform) {
    const state = await known("platform schema", () => platformMigrationState(store));
    yield "check" in state ? state : judgeMigrations("platform schema", state);
  }
}

/** If a service's own role may not read something, that is not wrong, only unknown. */
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

/**
 * Which database the findings are about; both, where the platform has a schema in the publisher's database.
 */
interface DatabaseRole {
  /** `database`, or `platform database`. */
  readonly name: string;
  /** The services that connect to it. */
  readonly services: readonly ServiceName[];
  readonly address: string;
}

export function judgeVersion({ name, address }: DatabaseRole, server: DatabaseServer): Finding {
  const what = `PostgreSQL ${server.version} at ${address}`;
  if (Math.floor(server.versionNumber / 10_000) >= OLDEST_VERSION) return ok(name, what);
  return fail(name, `${what} is too old: use ${OLDEST_VERSION} or later`);
}

/** Whether a power loss would lose acknowledged commits. */
function judgeDurability({ name }: DatabaseRole, server: DatabaseServer): Finding {
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

/**
 * Compares the connection limit with one process of each service, and one connection for the command line.
 */
function judgeConnections(
  { name, services }: DatabaseRole,
  { connectionLimit, otherConnections }: DatabaseServer,
  settings: { readonly ingestWriters: number },
): Finding {
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
      `has ${unknown.join(", ")} of a later version: see to it that this version may run beside it`,
    );
  }
  return ok(check, "all migrations of this version");
}

const KEYS = "encryption keys";
/** They are opened one by one; a lost key shows in the first of its secrets. */
const SECRETS_OPENED = 1000;

/**
 * Whether the keys open the newest webhook secrets. When a key is lost, everything that it sealed is lost.
 */
async function checkKeys(store: Store, keys: string | undefined): Promise<Finding> {
  const secrets = await loadNewestSecrets(store, SECRETS_OPENED);
  if (keys === undefined) {
    const what = "STAMPEDE_ENCRYPTION_KEYS is not set";
    if (secrets.length === 0) return warn(KEYS, `${what}: edge and webhooks do not start without`);
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
