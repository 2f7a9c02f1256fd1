import { connectStream, type Stream } from "#nats";
import { closeStore, connectStore, type Store } from "#postgres";
import { createLog, type Settings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { findRunningInstance, type RunningInstance } from "./running-instance.ts";

type DatabaseSettings = Pick<Settings, "databaseUrl" | "platformDatabaseUrl" | "dataDir">;

/** URLs; equal if the platform has a schema in the publisher's database. */
export interface Databases {
  /** Undefined if only the platform's database is named. */
  readonly publisher: string | undefined;
  readonly platform: string;
}

/** The publisher's database for a command: DATABASE_URL, otherwise that of the running instance. */
export function findDatabase({ databaseUrl, dataDir }: Pick<Settings, "databaseUrl" | "dataDir">): string {
  return databaseUrl ?? findInstance(dataDir, "no database: set DATABASE_URL").databaseUrl;
}

/**
 * The platform's database: STAMPEDE_PLATFORM_DATABASE_URL, otherwise DATABASE_URL, otherwise that of the
 * running instance.
 */
export function findPlatformDatabase(settings: DatabaseSettings): string {
  const { platformDatabaseUrl, databaseUrl, dataDir } = settings;
  const named = platformDatabaseUrl ?? databaseUrl ?? findRunningInstance(dataDir)?.platformDatabaseUrl;
  return named ?? findDatabase(settings);
}

/** Both databases. */
export function findDatabases(settings: DatabaseSettings): Databases {
  const platform = findPlatformDatabase(settings);
  const isPlatformAlone =
    settings.platformDatabaseUrl !== undefined &&
    settings.databaseUrl === undefined &&
    findRunningInstance(settings.dataDir) === undefined;
  return { publisher: isPlatformAlone ? undefined : findDatabase(settings), platform };
}

/** The NATS for a command: NATS_URL, otherwise that of the running instance. */
export function findNats({ natsUrl, dataDir }: Pick<Settings, "natsUrl" | "dataDir">): string {
  return natsUrl ?? findInstance(dataDir, "no NATS: set NATS_URL").natsUrl;
}

function findInstance(dataDir: string, otherwise: string): RunningInstance {
  const instance = findRunningInstance(dataDir);
  if (instance !== undefined) return instance;
  throw new CommandError(`${otherwise}, or start Stampede with \`npm start\` (none runs on ${dataDir})`);
}

/** Opens one connection for as long as the work takes. Its statements have no time-out, because some read whole tables. */
export async function withDatabase<T>(url: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = connectStore({ url, max: 1, applicationName: "stampede-cli" });
  try {
    return await work(store);
  } finally {
    await closeStore(store);
  }
}

/** The operations address that these settings give a process of this machine. */
export function opsUrlOf({ opsHost, opsPort }: Pick<Settings, "opsHost" | "opsPort">): string {
  const host = opsHost === "0.0.0.0" ? "127.0.0.1" : opsHost === "::" ? "::1" : opsHost;
  return `http://${host.includes(":") ? `[${host}]` : host}:${opsPort}`;
}

type StreamSettings = Pick<
  Settings,
  "natsUrl" | "dataDir" | "streamPrefix" | "natsCaFile" | "natsCertFile" | "natsKeyFile" | "natsCredsFile"
>;

/**
 * Connects to the NATS of a command, NATS_URL or otherwise that of the running instance, for as long as
 * `work` takes.
 */
export async function withStream<T>(
  settings: StreamSettings,
  work: (stream: Stream) => Promise<T>,
): Promise<T> {
  const stream = await connectStream({
    url: findNats(settings),
    name: "operator",
    prefix: settings.streamPrefix,
    access: settings,
    // stdout is for the command's own output; faults are thrown.
    log: createLog({ service: "cli", level: "silent" }),
  });
  try {
    return await work(stream);
  } finally {
    await stream.close();
  }
}
