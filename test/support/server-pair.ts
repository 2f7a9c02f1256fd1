import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { makeOwnDirectory, removeAbandoned, type ServerPair, startServerPair } from "#embedded";

const DIRECTORY_PREFIX = "stampede-test-";

/** A directory of this process's own; the next test run removes it if a crash leaves it behind. */
export function makeTestDirectory(): string {
  return makeOwnDirectory(realpathSync(tmpdir()), DIRECTORY_PREFIX);
}

/** Removes the directories of runs that were killed. */
export function removeAbandonedDirectories(): void {
  removeAbandoned(tmpdir(), DIRECTORY_PREFIX);
}

/**
 * Every installation of a test has its own streams, which stay until the servers end and reserve their size.
 * They are almost empty; with nats-server's default limit, the last files of a whole run found no room on a
 * disk with 70 GB left.
 */
const RESERVED_BYTES = 2 ** 40;

/** A PostgreSQL and a NATS for tests, on free ports, each ready. */
export function startTestPair(log: (message: string) => void): Promise<ServerPair> {
  const nats = { synced: false, storeBytes: RESERVED_BYTES };
  return startServerPair(makeTestDirectory(), { log, settings: FAST_SETTINGS, nats });
}

/**
 * PostgreSQL syncs nothing to disk, and neither does NATS, since the data of the shared servers ends with the
 * run. (Tests of durability start private servers. They kill processes and not the machine, and the kernel
 * keeps what a killed process has written.) There are many connections, for many databases and pools at a
 * time.
 */
const FAST_SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "400",
  // Autovacuum goes round all databases in this time, and those of all files exist until the end: with a
  // minute it takes an eighth of a core to look at databases that are not used again.
  autovacuum_naptime: "15min",
};
