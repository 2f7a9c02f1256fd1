import { join } from "node:path";
import { type RunningNats, type RunningPostgres, startNats, startPostgres } from "#embedded";
import { natsVersionWarning, type Settings } from "#runtime";
import type { Children } from "./children.ts";
import { hostOf, natsVersionOf, reachExternal } from "./external-server.ts";
import { type Say, step } from "./step.ts";
import { watchStore } from "./watch-store.ts";

/** Where PostgreSQL and NATS are, ours or others'. */
export interface Servers {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Of an embedded NATS. */
  readonly natsMonitorUrl?: string;
}

export interface ServersOptions {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly children: Children;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/**
 * A server that once worked on this directory ends by what is done to it: it is killed, the disk is full, its port is taken for a
 * moment. Nothing works without it, so it is started again for as long as that takes.
 */
const NEVER = () => false;

/** Starts the embedded servers, or reaches the external ones that DATABASE_URL and NATS_URL name. */
export async function provideServers(options: ServersOptions): Promise<Servers> {
  const { databaseUrl, natsUrl } = options.settings;
  const database = databaseUrl ?? (await embeddedPostgres(options));
  if (databaseUrl !== undefined) {
    const external = { name: "PostgreSQL", key: "DATABASE_URL", url: databaseUrl, defaultPort: 5432 };
    await step(
      options,
      "PostgreSQL",
      () => reachExternal(external),
      () => `external, ${hostOf(databaseUrl)}`,
    );
  }
  if (natsUrl === undefined) {
    const { url, monitorUrl } = await embeddedNats(options);
    return { databaseUrl: database, natsUrl: url, natsMonitorUrl: monitorUrl };
  }
  await step(
    options,
    "NATS",
    () => reachNats(natsUrl, options.say),
    () => `external, ${hostOf(natsUrl)}`,
  );
  return { databaseUrl: database, natsUrl };
}

async function reachNats(url: string, say: Say): Promise<void> {
  const greeting = await reachExternal({ name: "NATS", key: "NATS_URL", url, defaultPort: 4222 });
  const warning = natsVersionWarning(natsVersionOf(greeting) ?? "");
  if (warning) say(`NATS: ${warning}`);
}

/** After a crash it comes back on the port that the services know. */
async function embeddedPostgres({ dataDir, children, ...at }: ServersOptions): Promise<string> {
  const logFile = join(dataDir, "logs", "postgres.log");
  const options = { dataDir: join(dataDir, "postgres"), log: at.say, logFile };
  let port: number | undefined;
  const start = async (signal: AbortSignal) => {
    const server = await startPostgres({ ...options, port, signal });
    port = server.port;
    return server;
  };
  const child = children.add("PostgreSQL", { logFile, start, isOwnFault: NEVER });
  const describe = (server: RunningPostgres): string => `${server.version}, embedded, port ${server.port}`;
  return (await step(at, "PostgreSQL", () => child.start(), describe)).url;
}

/** Likewise. */
async function embeddedNats({ dataDir, children, ...at }: ServersOptions): Promise<RunningNats> {
  const logFile = join(dataDir, "logs", "nats.log");
  const options = { dataDir: join(dataDir, "nats"), log: at.say, logFile };
  let ports: { port?: number; monitorPort?: number } = {};
  const start = async (signal: AbortSignal) => {
    const server = await startNats({ ...options, ...ports, signal });
    ports = { port: server.port, monitorPort: server.monitorPort };
    return server;
  };
  const child = children.add("NATS", { logFile, start, isOwnFault: NEVER });
  const describe = (server: RunningNats): string => `${server.version}, embedded, port ${server.port}`;
  const server = await step(at, "NATS", () => child.start(), describe);
  watchStore(child, options.dataDir, at);
  return server;
}
