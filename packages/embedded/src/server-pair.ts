import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRecordedProcess, recordProcess } from "./processes.ts";
import { type NatsOptions, type RunningNats, startNats } from "./start-nats.ts";
import { type PostgresOptions, type RunningPostgres, startPostgres } from "./start-postgres.ts";

export interface ServerPair {
  /** Has their data, in `postgres` and `nats`. */
  readonly dir: string;
  readonly postgres: RunningPostgres;
  readonly nats: RunningNats;
  /** Stops both and removes their data. */
  stop(): Promise<void>;
}

interface PairOptions {
  readonly log: (message: string) => void;
  readonly settings?: PostgresOptions["settings"];
  readonly nats?: Pick<NatsOptions, "synced" | "storeBytes">;
}

/**
 * A PostgreSQL and a NATS on free ports, each ready.
 * @param dir of `makeOwnDirectory`; removed when they stop, or if one of them does not start
 */
export async function startServerPair(dir: string, options: PairOptions): Promise<ServerPair> {
  const { log, settings } = options;
  const starts = await Promise.allSettled([
    startPostgres({ dataDir: join(dir, "postgres"), log, settings }),
    startNats({ dataDir: join(dir, "nats"), log, ...options.nats }),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all(starts.map((start) => (start.status === "fulfilled" ? start.value.stop() : undefined)));
    rmSync(dir, { recursive: true, force: true });
  };
  const [postgres, nats] = starts;
  if (postgres.status === "fulfilled" && nats.status === "fulfilled") {
    return { dir, postgres: postgres.value, nats: nats.value, stop };
  }
  await stop();
  throw postgres.status === "rejected" ? postgres.reason : (nats as PromiseRejectedResult).reason;
}

const OWNER_FILE = "owner.json";
const ABANDONED_MS = 60_000;

/** A directory of this process's own; `removeAbandoned` removes it if a crash leaves it behind. */
export function makeOwnDirectory(parent: string, prefix: string): string {
  const dir = mkdtempSync(join(parent, prefix));
  // Not 0700, as mkdtemp makes it: as root PostgreSQL runs as another user, who must be able to enter.
  chmodSync(dir, 0o711);
  recordProcess(join(dir, OWNER_FILE), process.pid);
  return dir;
}

/** Removes the directories of processes that were killed. The guardian has ended their servers. */
export function removeAbandoned(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const dir = join(parent, name);
    const age = Date.now() - (statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    // With a minute's grace: a directory in the making has no owner yet, and the guardian may still work in
    // another one.
    if (age < ABANDONED_MS || readRecordedProcess(join(dir, OWNER_FILE))) continue;
    rmSync(dir, { recursive: true, force: true });
  }
}
