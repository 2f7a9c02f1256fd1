import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isPortTaken, lockDataDir } from "#embedded";
import { migratePlatform } from "#platform-db";
import { isDatabaseAway, MigrationError, type MigrationOutcome } from "#postgres";
import { migratePublisher } from "#publisher-db";
import {
  createRegistry,
  explainListenError,
  Health,
  MetricFactory,
  type Ops,
  OpsEndpoints,
  type SettingRow,
  type Settings,
  StartError,
  serveOps,
  settingsInForce,
  showReadiness,
  untilServed,
} from "#runtime";
import { Children } from "./children.ts";
import { type Asked, combineOps } from "./combined-ops.ts";
import { type FirstTokenOutcome, provideFirstToken, providePlatformToken } from "./first-token.ts";
import { httpUrl } from "./http-url.ts";
import { standaloneMetrics } from "./metrics.ts";
import { provideServers } from "./provide-servers.ts";
import { readyBlock } from "./ready-block.ts";
import { removeRunFile, writeRunFile } from "./run-file.ts";
import { startServices } from "./start-services.ts";
import { CalledOff, type Say, step } from "./step.ts";
import { Undo } from "./undo.ts";

const { version: VERSION } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** Everything on one machine, up. */
export interface Standalone {
  /** What the person at the terminal reads now. */
  readonly block: string;
  /** Resolves when a child ended too often: nothing is left to do but to stop. */
  readonly failed: Promise<StartError>;
  /** Drains and ends everything, in order. */
  stop(): Promise<void>;
  /** Ends the services without waiting for what they have open. */
  hurry(): void;
}

export interface StartOptions {
  readonly settings: Settings;
  /** The same, with where each comes from. */
  readonly rows: readonly SettingRow[];
  readonly say: Say;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/**
 * Starts everything, saying each step. What cannot start is thrown as an error whose message is one line that says what
 * to do; whatever had been started by then is stopped first.
 */
export async function startStandalone(options: StartOptions): Promise<Standalone> {
  const undo = new Undo();
  try {
    return await startAll(options, undo);
  } catch (error) {
    await undo.all();
    throw options.signal.aborted ? new CalledOff() : error;
  }
}

async function startAll({ settings, rows, say, signal }: StartOptions, undo: Undo): Promise<Standalone> {
  const startedAt = performance.now();
  const at = { say, signal };
  const path = resolve(settings.dataDir);
  const lock = await step(
    at,
    "data directory",
    async () => lockDataDir(path),
    ({ dir }) => dir,
  );
  const dataDir = lock.dir;
  const logDir = join(dataDir, "logs");
  mkdirSync(logDir, { recursive: true });
  undo.push(() => lock.release());
  undo.push(() => removeRunFile(dataDir));

  const own = ownOperations(say);
  const opsUrl = await openOperations(settings, own.answer, undo);
  await assertPortsFree(settings);
  const { children } = own;
  undo.push(() => children.stop());
  signal.addEventListener("abort", () => children.callOff());

  const servers = await provideServers({ settings, dataDir, children, say, signal });
  const databases = {
    publisher: servers.databaseUrl,
    platform: settings.platformDatabaseUrl ?? servers.databaseUrl,
  };
  const prepare = () => patiently(at, () => prepareDatabases(databases, settings));
  await step(at, "database schema", prepare, describeMigrations);
  const provide = () => patiently(at, () => provideTokens(databases, dataDir));
  const tokens = await step(at, "first tokens", provide, describeTokens);
  const started = await startServices({ settings, dataDir, children, say, signal }, servers);
  const { publisherUrl, platformUrl } = started;
  own.include(started.asked);
  const hurry = new AbortController();
  undo.push(() => lookedAway(own.health, settings.drainDelayMs, hurry.signal));

  writeRunFile(dataDir, {
    pid: process.pid,
    publisherUrl,
    opsUrl,
    ...servers,
    tokenFile: tokens.publisher.file,
    platformUrl,
    platformDatabaseUrl: databases.platform,
    platformTokenFile: tokens.platform.file,
    settings: settingsInForce(rows, started.env, keptHere(settings, dataDir, opsUrl)),
  });
  lock.announce(publisherUrl);
  const block = readyBlock({
    publisherUrl,
    platformUrl,
    opsUrl,
    token: tokens.publisher,
    platformToken: tokens.platform,
    logDir,
    seconds: (performance.now() - startedAt) / 1000,
  });
  const hurryUp = () => {
    hurry.abort();
    children.hurry();
  };
  return { block, failed: children.failed, stop: () => undo.all(), hurry: hurryUp };
}

/** What this process does itself, for all of them. */
function keptHere({ drainDelayMs }: Settings, dataDir: string, opsUrl: string): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ["STAMPEDE_DATA_DIR", dataDir],
    ["STAMPEDE_OPS_PORT", Number(new URL(opsUrl).port)],
    ["STAMPEDE_DRAIN_DELAY_MS", drainDelayMs],
  ]);
}

/** Once for all services, which are ended one after the other and have no delay of their own. */
async function lookedAway(health: Health, delayMs: number, signal: AbortSignal): Promise<void> {
  health.drain();
  if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => {});
}

/** What this process itself answers about, and the services' answers once they are there. */
function ownOperations(say: Say) {
  const registry = createRegistry("standalone", VERSION);
  const factory = new MetricFactory(registry);
  const metrics = standaloneMetrics(factory);
  const health = new Health();
  showReadiness(factory, health);
  const children = new Children(say, metrics);
  const endpoints = new OpsEndpoints(health, registry);
  const own: Asked = (path) => {
    for (const name of children.names()) health.addCheck(name, () => children.check(name));
    children.updateMetrics();
    return endpoints.answer(path);
  };
  const parts = new Map([["standalone", own]]);
  const include = (asked: ReadonlyMap<string, Asked>): void => {
    for (const [name, ask] of asked) parts.set(name, ask);
  };
  return { health, children, include, answer: combineOps(own, parts) };
}

async function openOperations({ opsHost, opsPort }: Settings, answer: Ops, undo: Undo): Promise<string> {
  const server = await serveOps(answer, { host: opsHost, port: opsPort }).catch((error) => {
    throw explainListenError(error, "operations endpoints", opsHost, opsPort, "STAMPEDE_OPS_PORT");
  });
  undo.push(() => server.close());
  return httpUrl(opsHost, server.port);
}

/** Looked at before anything is started: the services that listen there come last. */
async function assertPortsFree(settings: Settings): Promise<void> {
  const { httpHost, httpPort, platformHost, platformPort } = settings;
  await assertPortFree("publisher API", httpHost, httpPort, "STAMPEDE_HTTP_PORT");
  await assertPortFree("reference platform", platformHost, platformPort, "STAMPEDE_PLATFORM_PORT");
}

async function assertPortFree(what: string, host: string, port: number, key: string): Promise<void> {
  if (port === 0 || !(await isPortTaken(port, host))) return;
  const taken = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
  throw explainListenError(taken, what, host, port, key);
}

/** URLs; the same one twice, unless the platform was given a database of its own. */
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

/** PostgreSQL answers by now, and may be starting up, recover, or have no connection left; both steps can be done twice. */
function patiently<T>(
  { say, signal }: Pick<StartOptions, "say" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  const onWait = (reason: string) => say(`waits for PostgreSQL: ${reason}`);
  return untilServed(work, isDatabaseAway, { signal, onWait });
}

/** @returns how many migrations were applied */
async function prepareDatabase(which: string, migrateIt: () => Promise<MigrationOutcome>): Promise<number> {
  try {
    return (await migrateIt()).applied.length;
  } catch (error) {
    const why = `the ${which} cannot be prepared: ${(error as Error).message}`;
    // A migration that a lost connection cut short is applied anew.
    const passes = isDatabaseAway(error instanceof MigrationError ? error.cause : error);
    throw new StartError("database_unusable", why, { cause: error, passes });
  }
}

const describeMigrations = (applied: number): string =>
  applied === 0 ? "up to date" : `${applied} migrations applied`;

interface FirstTokens {
  readonly publisher: FirstTokenOutcome;
  readonly platform: FirstTokenOutcome;
}

async function provideTokens({ publisher, platform }: Databases, dataDir: string): Promise<FirstTokens> {
  return {
    publisher: await provideFirstToken(publisher, dataDir),
    platform: await providePlatformToken(platform, dataDir),
  };
}

const describeTokens = ({ publisher, platform }: FirstTokens): string =>
  `publisher's ${describeToken(publisher)}; platform's ${describeToken(platform)}`;

const describeToken = ({ created, known, file }: FirstTokenOutcome): string => {
  if (created) return `made, in ${file}`;
  return known ? `in ${file}` : "made elsewhere";
};
