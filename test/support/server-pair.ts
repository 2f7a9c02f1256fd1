import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type RunningNats,
  type RunningPostgres,
  readRecordedProcess,
  recordProcess,
  startNats,
  startPostgres,
} from "#embedded";

const DIRECTORY_PREFIX = "stampede-test-";
const OWNER_FILE = "owner.json";

export interface ServerPair {
  readonly postgres: RunningPostgres;
  readonly nats: RunningNats;
  /** Stops both and removes their data. */
  stop(): Promise<void>;
}

/** A directory of this process's own; the next test run removes it if a crash leaves it behind. */
export function makeTestDirectory(): string {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), DIRECTORY_PREFIX));
  // Not 0700, as mkdtemp makes it: if root runs the tests, PostgreSQL runs as another user, who must be able to enter.
  chmodSync(dir, 0o711);
  recordProcess(join(dir, OWNER_FILE), process.pid);
  return dir;
}

/** Removes the directories of runs that were killed. Their servers are gone, because the guardian ended them. */
export function removeAbandonedDirectories(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const dir = join(tmpdir(), name);
    const age = Date.now() - (statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // With a minute's grace: a directory in the making has no owner yet, and the guardian may still work in
    // another one.
    if (age < ABANDONED_MS || readRecordedProcess(join(dir, OWNER_FILE))) continue;
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Every installation of a test has its own streams, which stay until the servers end and reserve their size.
 * They are almost empty; with nats-server's default limit, the last files of a whole run found no room on a
 * disk with 70 GB left.
 */
const RESERVED_BYTES = 2 ** 40;

/** A PostgreSQL and a NATS for tests, on free ports, each ready. */
export async function startServerPair(log: (message: string) => void): Promise<ServerPair> {
  const dir = makeTestDirectory();
  const starts = await Promise.allSettled([
    startPostgres({ dataDir: join(dir, "postgres"), log, settings: FAST_SETTINGS }),
    startNats({ dataDir: join(dir, "nats"), log, synced: false, storeBytes: RESERVED_BYTES }),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all(starts.map((start) => (start.status === "fulfilled" ? start.value.stop() : undefined)));
    rmSync(dir, { recursive: true, force: true });
  };
  const [postgres, nats] = starts;
  if (postgres.status === "fulfilled" && nats.status === "fulfilled") {
    return { postgres: postgres.value, nats: nats.value, stop };
  }
  await stop();
  throw postgres.status === "rejected" ? postgres.reason : (nats as PromiseRejectedResult).reason;
}

const ABANDONED_MS = 60_000;

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
