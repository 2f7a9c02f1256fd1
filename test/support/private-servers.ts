import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  type NatsOptions,
  type PostgresOptions,
  type RunningServer,
  startNats,
  startPostgres,
} from "#embedded";
import { createDatabase, createTemplate } from "./databases.ts";
import { makeTestDirectory } from "./server-pair.ts";

/** A server that a test may stop, kill and start. It keeps its port, its password and its data. */
export interface PrivateServer {
  readonly url: string;
  readonly port: number;
  pid(): number;
  /** With SIGSTOP it hangs, with SIGCONT it goes on. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it at once, as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Ends it in an orderly way. */
  stop(): Promise<void>;
  /** Starts it again after `kill` or `stop`; resolves when it answers. */
  start(): Promise<void>;
  /** Ends it and removes its data: for `t.teardown`. */
  remove(): Promise<void>;
}

export interface PrivatePostgres extends PrivateServer {
  /** A new database with the current schema. */
  databaseUrl(): Promise<string>;
  /** A new database with nothing in it. */
  emptyDatabaseUrl(): Promise<string>;
}

export interface PrivateNats extends PrivateServer {
  readonly monitorUrl: string;
  /** The folder of its files: to be touched only while the server does not run. */
  readonly dataDir: string;
}

/** A PostgreSQL of the test's own, durable as in production unless `settings` say otherwise. */
export async function privatePostgres(
  settings: PostgresOptions["settings"] = {},
  logFile?: string,
): Promise<PrivatePostgres> {
  const dir = makeTestDirectory();
  const options: PostgresOptions = { dataDir: join(dir, "postgres"), log: () => {}, settings, logFile };
  const first = await startPostgres(options);
  const { url, port } = first;
  let template: Promise<string> | undefined;
  const cloned = async () => {
    template ??= createTemplate(url);
    return createDatabase(url, await template);
  };
  const lifecycle = restartable(dir, first, () => startPostgres({ ...options, port }));
  return {
    ...lifecycle,
    url,
    port,
    databaseUrl: cloned,
    emptyDatabaseUrl: () => createDatabase(url),
  };
}

/** A NATS of the test's own, durable as in production. */
export async function privateNats(access?: NatsOptions["access"], logFile?: string): Promise<PrivateNats> {
  const dir = makeTestDirectory();
  const options: NatsOptions = { dataDir: join(dir, "nats"), log: () => {}, access, logFile };
  const first = await startNats(options);
  const { url, port, monitorUrl, monitorPort } = first;
  const lifecycle = restartable(dir, first, () => startNats({ ...options, port, monitorPort }));
  return { ...lifecycle, url, port, monitorUrl, dataDir: options.dataDir };
}

/** Starts both at once. @param logDir where their logs stay when the servers are removed */
export async function privateServers(
  settings: PostgresOptions["settings"] = {},
  logDir?: string,
): Promise<{
  readonly postgres: PrivatePostgres;
  readonly nats: PrivateNats;
  remove(): Promise<void>;
}> {
  const logFile = (name: string) => (logDir === undefined ? undefined : join(logDir, name));
  const [postgres, nats] = await Promise.all([
    privatePostgres(settings, logFile("postgres.log")),
    privateNats(undefined, logFile("nats.log")),
  ]);
  const remove = async (): Promise<void> => {
    await Promise.all([postgres.remove(), nats.remove()]);
  };
  return { postgres, nats, remove };
}

function restartable(
  dir: string,
  first: RunningServer,
  startAgain: () => Promise<RunningServer>,
): Omit<PrivateServer, "url" | "port"> {
  let server = first;
  return {
    pid: () => server.pid,
    signal: (signal) => server.kill(signal),
    stop: () => server.stop(),
    kill: async () => {
      server.kill("SIGKILL");
      await server.stop();
    },
    start: async () => {
      server = await startAgain();
    },
    remove: async () => {
      server.kill("SIGCONT"); // a stopped process would not receive the order to end
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
