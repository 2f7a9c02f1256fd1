import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import postgres from "postgres";
import { makeOwnDirectory, removeAbandoned, type ServerPair, startServerPair } from "#embedded";

/** PostgreSQL and NATS of this run, durable as in production. */
export interface Servers extends ServerPair {
  /**
   * Where the CPU profiles of services and peers go, each in a folder named by its database and its name;
   * undefined: none are made.
   */
  readonly profileDir: string | undefined;
  /** Read from the servers themselves, not from our configuration. */
  readonly durability: Durability;
  /** Runs one statement on a database of the server. */
  execute(database: string, statement: string): Promise<void>;
  databaseUrl(database: string): string;
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

/** @param parent a directory with room; the system's temporary one by default */
export async function startServers(parent = tmpdir(), profileDir?: string): Promise<Servers> {
  // The remains of killed runs: gigabytes.
  removeAbandoned(parent, DIRECTORY_PREFIX);
  const pair = await startServerPair(makeOwnDirectory(parent, DIRECTORY_PREFIX), { log: () => {} });
  const databaseUrl = (database: string): string => {
    const url = new URL(pair.postgres.url);
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
  return { ...pair, profileDir, durability: await readDurability(pair), execute, databaseUrl };
}

async function readDurability({ postgres: pg, nats, dir }: ServerPair): Promise<Durability> {
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
