import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type DataDirLock, isPortTaken, lockDataDir } from "#embedded";
import { migratePlatform } from "#platform-db";
import { isDatabaseAway, MigrationError, type MigrationResult } from "#postgres";
import { migratePublisher } from "#publisher-db";
import {
  Cleanup,
  explainListenError,
  type Health,
  type SettingRow,
  type Settings,
  StartError,
  settingsInForce,
  untilServed,
} from "#runtime";
import { adapterHint } from "./adapter-hint.ts";
import { type RunFile, readyBlock, removeRunFile, writeRunFile } from "./announce.ts";
import { openOperations, ownOperations } from "./ops.ts";
import { provideServers } from "./provide-servers.ts";
import { describeTokens, provideConsoleLink, provideTokens } from "./secrets.ts";
import { startServices } from "./start-services.ts";
import { CalledOff, type Say, step } from "./step.ts";

/** A running all-in-one. */
export interface Standalone {
  /** The text for the person at the terminal. */
  readonly block: string;
  /** Resolves when a child was given up: then the only thing left is to stop. */
  readonly failed: Promise<StartError>;
  /** Drains and ends everything, in order. */
  stop(): Promise<void>;
  /** Ends the services without waiting for what they have open. */
  hurry(): void;
}

interface StartOptions {
  readonly settings: Settings;
  /** The same settings, with the origin of each. */
  readonly rows: readonly SettingRow[];
  readonly say: Say;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/**
 * Starts everything and reports each step. If something cannot start, throws an error with a message of one
 * line that says what to do; everything that was started by then is stopped first.
 */
export async function startStandalone(options: StartOptions): Promise<Standalone> {
  const cleanup = new Cleanup();
  try {
    return await startAll(options, cleanup);
  } catch (error) {
    await cleanup.close();
    throw options.signal.aborted ? new CalledOff() : error;
  }
}

async function startAll(options: StartOptions, cleanup: Cleanup): Promise<Standalone> {
  const { settings, rows, say, signal } = options;
  const startedAt = performance.now();
  const lock = await claimDataDir(options, cleanup);
  const dataDir = lock.dir;
  const logDir = join(dataDir, "logs");
  mkdirSync(logDir, { recursive: true });

  const own = ownOperations(say);
  await assertPortsFree(settings);
  const opsUrl = await openOperations(settings, own.answer, cleanup);
  const { children } = own;
  cleanup.defer(() => children.stop());
  signal.addEventListener("abort", () => children.callOff());

  const assertHeld = () => {
    if (!lock.isHeld()) throw lostDirectory(dataDir);
  };
  cleanup.defer(watchDirectory(assertHeld, (error) => children.giveUp(error)));
  const servers = await provideServers({ settings, dataDir, children, say, signal, assertHeld });
  const databases = {
    publisher: servers.databaseUrl,
    platform: settings.platformDatabaseUrl ?? servers.databaseUrl,
  };
  const prepare = () => patiently(options, () => prepareDatabases(databases, settings));
  await step(options, "database schema", prepare, describeMigrations);
  const provide = () => patiently(options, () => provideTokens(databases, dataDir));
  const tokens = await step(options, "first tokens", provide, describeTokens);
  const parts = { settings, dataDir, children, say, signal, opsUrl, tokens, assertHeld };
  const started = await startServices(parts, servers);
  const { publisherUrl, platformUrl, consoleUrl } = started;
  own.include(started.asked);
  const hint = adapterHint(settings.httpAdapter);
  if (hint !== undefined) say(hint);
  const hurry = new AbortController();
  cleanup.defer(() => lookedAway(own.health, settings.drainDelayMs, hurry.signal));

  const run: RunFile = {
    pid: process.pid,
    publisherUrl,
    opsUrl,
    ...servers,
    tokenFile: tokens.publisher.file,
    platformUrl,
    platformDatabaseUrl: databases.platform,
    platformTokenFile: tokens.platform.file,
    consoleUrl,
    settings: settingsInForce(rows, started.env, keptHere(settings, dataDir, opsUrl)),
  };
  writeRunFile(dataDir, run);
  lock.announce(publisherUrl);
  const link = await provideConsoleLink(databases.publisher, consoleUrl, settings);
  const block = readyBlock({ ...run, link }, tokens, logDir, (performance.now() - startedAt) / 1000);
  const hurryUp = () => {
    hurry.abort();
    children.hurry();
  };
  return { block, failed: children.failed, stop: () => cleanup.close(), hurry: hurryUp };
}

/** No other instance uses it until this one is closed. */
async function claimDataDir(options: StartOptions, cleanup: Cleanup): Promise<DataDirLock> {
  const path = resolve(options.settings.dataDir);
  const takeLock = async () => lockDataDir(path);
  const lock = await step(options, "data directory", takeLock, ({ dir }) => dir);
  cleanup.defer(() => lock.release());
  cleanup.defer(() => {
    if (lock.isHeld()) removeRunFile(lock.dir);
  });
  return lock;
}

const LOOK_AT_DIRECTORY_MS = 1_000;

/**
 * Looks whether the data directory is still there, and ours. Without it, what crashes would come back on what is under
 * its name by then: an empty database, or one that another instance uses. Returns the function that ends it.
 */
function watchDirectory(assertHeld: () => void, lost: (error: StartError) => void): () => void {
  const timer = setInterval(() => {
    try {
      assertHeld();
    } catch (error) {
      clearInterval(timer);
      lost(error as StartError);
    }
  }, LOOK_AT_DIRECTORY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function lostDirectory(dir: string): StartError {
  return new StartError(
    "data_dir_gone",
    `the data directory ${dir} was moved, removed or taken over while Stampede ran on it: it stops. ` +
      "What was acknowledged is in that directory; start on it where it is now (STAMPEDE_DATA_DIR)",
  );
}

/** The settings of what this process itself does for all of them. */
function keptHere({ drainDelayMs }: Settings, dataDir: string, opsUrl: string): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["STAMPEDE_DATA_DIR", dataDir],
    ["STAMPEDE_OPS_PORT", Number(new URL(opsUrl).port)],
    ["STAMPEDE_DRAIN_DELAY_MS", drainDelayMs],
  ]);
}

/** Waits once for all services, which are ended one after the other and have no delay of their own. */
async function lookedAway(health: Health, delayMs: number, signal: AbortSignal): Promise<void> {
  health.drain();
  if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => {});
}

/**
 * Checked before anything is started, because the services that listen there are started last; all of them, because where
 * one is taken by another instance the others are too.
 */
async function assertPortsFree(settings: Settings): Promise<void> {
  const { httpHost, httpPort, platformHost, platformPort, consoleHost, consolePort, opsHost, opsPort } =
    settings;
  const ports = [
    ["publisher API", httpHost, httpPort, "STAMPEDE_HTTP_PORT"],
    ["reference platform", platformHost, platformPort, "STAMPEDE_PLATFORM_PORT"],
    ["console", consoleHost, consolePort, "STAMPEDE_CONSOLE_PORT"],
    ["operations endpoints", opsHost, opsPort, "STAMPEDE_OPS_PORT"],
  ] as const;
  const faults: unknown[] = [];
  for (const [what, host, port, key] of ports) {
    if (port === 0 || !(await isPortTaken(port, host))) continue;
    const taken = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
    faults.push(explainListenError(taken, what, host, port, key));
  }
  const [first, ...others] = faults;
  if (others.length === 0 && first !== undefined) throw first;
  if (others.length > 0)
    throw new StartError("port_taken", faults.map((fault) => (fault as Error).message).join("; "));
}

/** URLs; both are the same unless the platform was given a database of its own. */
interface Databases {
  readonly publisher: string;
  readonly platform: string;
}

async function prepareDatabases({ publisher, platform }: Databases, settings: Settings): Promise<number> {
  const { databaseUrl, platformDatabaseUrl } = settings;
  const shared = databaseUrl === undefined ? "embedded database" : "database of DATABASE_URL";
  const own = platformDatabaseUrl === undefined ? shared : "database of STAMPEDE_PLATFORM_DATABASE_URL";
  return (
    (await prepareDatabase(shared, () => migratePublisher(publisher))) +
    (await prepareDatabase(own, () => migratePlatform(platform)))
  );
}

/**
 * PostgreSQL answers by now, but it may be starting up, be recovering, or have no connection left. `work` may
 * be done twice.
 */
function patiently<T>(
  { say, signal }: Pick<StartOptions, "say" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  const onWait = (reason: string) => say(`waits for PostgreSQL: ${reason}`);
  return untilServed(work, isDatabaseAway, { signal, onWait });
}

/** @returns how many migrations were applied */
async function prepareDatabase(which: string, migrateIt: () => Promise<MigrationResult>): Promise<number> {
  try {
    return (await migrateIt()).applied.length;
  } catch (error) {
    const why = `the ${which} cannot be prepared: ${(error as Error).message}`;
    // A migration that was cut short by a lost connection is applied again.
    const passes = isDatabaseAway(error instanceof MigrationError ? error.cause : error);
    throw new StartError("database_unusable", why, { cause: error, passes });
  }
}

const describeMigrations = (applied: number): string =>
  applied === 0 ? "up to date" : `${applied} migrations applied`;
