import type { ServiceName } from "#contract";
import { platformMigrationState } from "#platform-db";
import { closeStore, connectStore, inspectServer, type Store } from "#postgres";
import { publisherMigrationState } from "#publisher-db";
import type { Settings } from "#runtime";
import { explainFailure } from "../explain-failure.ts";
import type { Databases } from "../find-database.ts";
import type { ClockReading } from "./check-clocks.ts";
import {
  type DatabaseRole,
  judgeConnections,
  judgeDurability,
  judgeMigrations,
  judgeVersion,
} from "./check-database.ts";
import { checkKeys } from "./check-keys.ts";
import { type Finding, fail, warn } from "./finding.ts";

/** A query of doctor's that takes longer has found something. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** SQLSTATE. */
const INSUFFICIENT_PRIVILEGE = "42501";
const PUBLISHER: readonly ServiceName[] = ["edge", "ingest", "rewards", "webhooks"];
const PLATFORM: readonly ServiceName[] = ["platform"];

export interface DatabaseQuestion {
  readonly databases: Databases;
  readonly settings: Settings;
  /** STAMPEDE_ENCRYPTION_KEYS, or the running instance's. */
  readonly keys: string | undefined;
  readonly now: () => number;
}

/** Everything about PostgreSQL; adds what its clock said to `clocks`. */
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
  /** Whose schema is to be in it. */
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
    // Before that there is no table to look into.
    const isThere = "check" in state || state.pending.length === 0;
    if (isThere) yield await known("encryption keys", () => checkKeys(store, scope.keys));
  }
  if (scope.platform) {
    const state = await known("platform schema", () => platformMigrationState(store));
    yield "check" in state ? state : judgeMigrations("platform schema", state);
  }
}

/** What a service's own role may not read is not wrong, only unknown. */
async function known<T>(check: string, look: () => Promise<T>): Promise<T | Finding> {
  try {
    return await look();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== INSUFFICIENT_PRIVILEGE) throw error;
    return warn(check, `unknown, ${message}: run doctor as the role that migrates`);
  }
}

/** Host, port and database of a URL, without the password that it may hold. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
