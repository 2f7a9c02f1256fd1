import { randomBytes } from "node:crypto";
import { createDatabase, createTemplate } from "./databases.ts";
import { SHARED_SERVERS_VARIABLE, type SharedServers } from "./runner-protocol.ts";
import { startTestPair } from "./server-pair.ts";

export interface TestServers {
  readonly natsUrl: string;
  readonly natsMonitorUrl: string;
  /** Makes a database with the current schema, for the caller alone. */
  databaseUrl(): Promise<string>;
  /** Makes an empty database. */
  emptyDatabaseUrl(): Promise<string>;
  /** Ends the servers if this process started them, but not the runner's. Called after the last test. */
  stop(): Promise<void>;
}

let servers: Promise<TestServers> | undefined;

/**
 * The servers of this test run: those of `npm test`, or, in a test file that is run alone, a pair started at the first
 * call. One pair per process however often this is called.
 */
export function testServers(): Promise<TestServers> {
  servers ??= connectOrStart();
  return servers;
}

/** A unique prefix for NATS streams and subjects: 13 upper-case letters and digits. */
export function isolation(): string {
  return `T${randomBytes(6).toString("hex").toUpperCase()}`;
}

async function connectOrStart(): Promise<TestServers> {
  const shared = process.env[SHARED_SERVERS_VARIABLE];
  if (shared !== undefined) return facade(JSON.parse(shared) as SharedServers, async () => {});
  const pair = await startTestPair(() => {});
  const template = await createTemplate(pair.postgres.url);
  const { nats, postgres } = pair;
  const own = { postgresUrl: postgres.url, template, natsUrl: nats.url, natsMonitorUrl: nats.monitorUrl };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= pair.stop();
    return stopped;
  };
  // Imported only here: tap takes over any process that loads it, and not every program that loads this file
  // is a test.
  const { default: t } = await import("tap");
  t.teardown(stop);
  return facade(own, stop);
}

function facade(shared: SharedServers, stop: () => Promise<void>): TestServers {
  return {
    natsUrl: shared.natsUrl,
    natsMonitorUrl: shared.natsMonitorUrl,
    databaseUrl: () => createDatabase(shared.postgresUrl, shared.template),
    emptyDatabaseUrl: () => createDatabase(shared.postgresUrl),
    stop,
  };
}
