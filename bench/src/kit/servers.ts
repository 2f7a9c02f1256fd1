import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import {
  type RunningNats,
  type RunningPostgres,
  readRecordedProcess,
  recordProcess,
  startNats,
  startPostgres,
} from "#embedded";

/** PostgreSQL and NATS of this run, durable as in production. */
export interface Servers {
  readonly dir: string;
  /**
   * Where the CPU profiles of services and peers go, each in a folder named by its database and its name;
   * undefined: none are made.
   */
  readonly profileDir: string | undefined;
  readonly postgres: RunningPostgres;
  readonly nats: RunningNats;
  /** Read from the servers themselves, not from our configuration. */
  readonly durability: Durability;
  /** Runs one statement on a database of the server. */
  execute(database: string, statement: string): Promise<void>;
  databaseUrl(database: string): string;
  stop(): Promise<void>;
}

interface Durability {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
  readonly natsSyncAlways: boolean;
  /** The file system of the data directories: on tmpfs a sync costs nothing, and the figures mean nothing. */
  readonly filesystem: string;
}

const FILESYSTEMS: Readonly<Record<number, string>> = {
  61267: "ext4",
  1481003842: "xfs",
  2435016766: "btrfs",
  16914836: "tmpfs",
  2035054128: "overlayfs",
  801189825: "zfs",
};

const DIRECTORY_PREFIX = "stampede-bench-data-";
const OWNER_FILE = "owner.json";
/** A directory that is being created has no owner yet. */
const ABANDONED_MS = 60_000;

/** The remains of a killed run: gigabytes. The guardian has ended its servers. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const dir = join(parent, name);
    const age = Date.now() - (statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age < ABANDONED_MS || readRecordedProcess(join(dir, OWNER_FILE))) continue;
    rmSync(dir, { recursive: true, force: true });
  }
}

/** @param parent a directory with room; the system's temporary one by default */
export async function startServers(parent = tmpdir(), profileDir?: string): Promise<Servers> {
  removeAbandoned(parent);
  const dir = mkdtempSync(join(parent, DIRECTORY_PREFIX));
  // As root PostgreSQL runs as another user, who must be able to enter.
  chmodSync(dir, 0o711);
  recordProcess(join(dir, OWNER_FILE), process.pid);
  const log = (): void => {};
  const starts = await Promise.allSettled([
    startPostgres({ dataDir: join(dir, "postgres"), log }),
    startNats({ dataDir: join(dir, "nats"), log }),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all(starts.map((start) => (start.status === "fulfilled" ? start.value.stop() : undefined)));
    rmSync(dir, { recursive: true, force: true });
  };
  const [pg, nats] = starts;
  if (pg.status === "rejected" || nats.status === "rejected") {
    await stop();
    throw pg.status === "rejected" ? pg.reason : (nats as PromiseRejectedResult).reason;
  }
  const databaseUrl = (database: string): string => {
    const url = new URL(pg.value.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  const execute = async (database: string, statement: string): Promise<void> => {
    const sql = postgres(databaseUrl(database), { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe(statement);
    } finally {
      await sql.end();
    }
  };
  const durability = await readDurability(pg.value, nats.value, dir);
  return { dir, profileDir, postgres: pg.value, nats: nats.value, durability, execute, databaseUrl, stop };
}

async function readDurability(pg: RunningPostgres, nats: RunningNats, dir: string): Promise<Durability> {
  const sql = postgres(pg.url, { max: 1 });
  try {
    const rows = await sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`;
    const setting = (name: string) => rows.find((row) => row.name === name)?.setting ?? "unknown";
    const jetstream = (await (await fetch(`${nats.monitorUrl}/jsz`)).json()) as {
      config?: { sync_always?: boolean };
    };
    const { type } = statfsSync(dir);
    return {
      fsync: setting("fsync"),
      synchronousCommit: setting("synchronous_commit"),
      fullPageWrites: setting("full_page_writes"),
      natsSyncAlways: jetstream.config?.sync_always === true,
      filesystem: FILESYSTEMS[type] ?? `0x${type.toString(16)}`,
    };
  } finally {
    await sql.end();
  }
}
