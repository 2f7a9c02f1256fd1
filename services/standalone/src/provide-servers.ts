import { once } from "node:events";
import { statfsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { type RunningNats, type RunningPostgres, startNats, startPostgres } from "#embedded";
import { natsVersionWarning, type Settings, StartError } from "#runtime";
import type { Children } from "./children.ts";
import { type Say, step } from "./step.ts";
import type { Supervised } from "./supervised.ts";

/** Where PostgreSQL and NATS are, embedded or external. */
export interface Servers {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  /** Only of an embedded NATS. */
  readonly natsMonitorUrl?: string;
}

/** What is needed to start children. */
export interface StartParts {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly children: Children;
  readonly say: Say;
  readonly signal: AbortSignal;
  /** @throws StartError if the data directory is not this instance's any more: then nothing may be started on it */
  readonly assertHeld: () => void;
}

/**
 * An embedded server that once worked on this directory ends because of something done to it: it is killed,
 * the disk is full, its port is taken for a moment. Nothing works without it, so it is started again for as
 * long as that takes.
 */
const NEVER = () => false;

/** Starts the embedded servers, or reaches the external ones that DATABASE_URL and NATS_URL name. */
export async function provideServers(options: StartParts): Promise<Servers> {
  const { databaseUrl, natsUrl } = options.settings;
  const database = databaseUrl ?? (await embeddedPostgres(options));
  if (databaseUrl !== undefined) {
    const external = { name: "PostgreSQL", key: "DATABASE_URL", url: databaseUrl, defaultPort: 5432 };
    const done = () => `external, ${hostOf(databaseUrl)}`;
    await step(options, "PostgreSQL", () => reachExternal(external), done);
  }
  if (natsUrl === undefined) {
    const { url, monitorUrl } = await embeddedNats(options);
    return { databaseUrl: database, natsUrl: url, natsMonitorUrl: monitorUrl };
  }
  const done = () => `external, ${hostOf(natsUrl)}`;
  await step(options, "NATS", () => reachNats(natsUrl, options.say), done);
  return { databaseUrl: database, natsUrl };
}

async function reachNats(url: string, say: Say): Promise<void> {
  const greeting = await reachExternal({ name: "NATS", key: "NATS_URL", url, defaultPort: 4222 });
  const warning = natsVersionWarning(natsVersionOf(greeting) ?? "");
  if (warning) say(`NATS: ${warning}`);
}

/** After a crash the server comes back on the port that the services know. */
async function embeddedPostgres({ dataDir, children, ...at }: StartParts): Promise<string> {
  const logFile = join(dataDir, "logs", "postgres.log");
  const options = { dataDir: join(dataDir, "postgres"), log: at.say, logFile };
  let port: number | undefined;
  const start = async (signal: AbortSignal) => {
    at.assertHeld();
    const server = await startPostgres({ ...options, port, mustExist: port !== undefined, signal });
    port = server.port;
    return server;
  };
  const child = children.add("PostgreSQL", { logFile, start, isOwnFault: NEVER });
  return (await step(at, "PostgreSQL", () => child.start(), describe)).url;
}

/** After a crash the server comes back on the ports that the services know. */
async function embeddedNats({ dataDir, children, ...at }: StartParts): Promise<RunningNats> {
  const logFile = join(dataDir, "logs", "nats.log");
  const options = { dataDir: join(dataDir, "nats"), log: at.say, logFile };
  let ports: { port?: number; monitorPort?: number } = {};
  const start = async (signal: AbortSignal) => {
    at.assertHeld();
    const server = await startNats({ ...options, ...ports, signal });
    ports = { port: server.port, monitorPort: server.monitorPort };
    return server;
  };
  const child = children.add("NATS", { logFile, start, isOwnFault: NEVER });
  const server = await step(at, "NATS", () => child.start(), describe);
  watchStore(child, options.dataDir, at);
  return server;
}

const describe = ({ version, port }: RunningPostgres | RunningNats): string =>
  `${version}, embedded, port ${port}`;

const ANSWER_MS = 5_000;

interface ExternalServer {
  /** Its name in messages. */
  readonly name: string;
  /** The environment variable that names it. */
  readonly key: string;
  readonly url: string;
  readonly defaultPort: number;
}

/** The host and port of a server's URL, without its password. */
function hostOf(url: string): string {
  return url
    .split(",")
    .map((one) => new URL(one).host)
    .join(", ");
}

/**
 * Makes sure that something listens at the address of an external server, so that a wrong address is one
 * clear line here and not an error in every service. Returns what the server says first, if it speaks first
 * (NATS does).
 */
async function reachExternal({ name, key, url, defaultPort }: ExternalServer): Promise<string> {
  let reason = "";
  for (const one of url.split(",")) {
    const { hostname, port } = new URL(one);
    const socket = connect(port === "" ? defaultPort : Number(port), hostname.replace(/^\[|\]$/g, ""));
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(ANSWER_MS) });
      return name === "NATS" ? await firstWords(socket) : "";
    } catch (error) {
      reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    } finally {
      socket.destroy();
    }
  }
  const doThis = `start it, or correct ${key} (without it an embedded one is started)`;
  throw new StartError("server_unreachable", `no ${name} answers at ${hostOf(url)} (${reason}): ${doThis}`);
}

async function firstWords(socket: Socket): Promise<string> {
  const [data] = (await once(socket, "data", { signal: AbortSignal.timeout(ANSWER_MS) })) as [Buffer];
  return data.toString("utf8");
}

/** The version in a NATS server's greeting, `INFO {"version":"2.14.0",…}`. */
function natsVersionOf(greeting: string): string | undefined {
  return /"version":"(\d+\.\d+\.\d[^"]*)"/.exec(greeting)?.[1];
}

/** Two such intervals and a start take much less than the half minute in which everything must be back. */
const LOOK_MS = 2_000;
const LOOK_ANSWER_MS = 2_000;
/**
 * With less room, a stream would soon be full again: a message may have 1 MiB, and the server needs space for
 * its index files too.
 */
const ROOM_BYTES = 8 * 1024 * 1024;

/**
 * Heals nats-server after a full disk. A stream of 2.14 that once could not be written stays broken: it
 * answers no publish any more, even when there is room again, until the server is restarted (measured;
 * `/healthz` reports this case in words that it uses for nothing else). So this watches for it, and restarts
 * the server once there is room. That touches nothing that was acknowledged, which is on disk.
 * @param dir where the server stores
 */
function watchStore(
  child: Supervised<RunningNats>,
  dir: string,
  { say, signal }: { say: Say; signal: AbortSignal },
): void {
  let isLooking = false;
  const look = async (): Promise<void> => {
    const server = child.current;
    if (server === undefined || !(await cannotWrite(server.monitorUrl)) || !hasRoom(dir)) return;
    say("NATS: a stream could not be written, and there is room again; restarting it");
    await server.stop();
  };
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // If the server cannot be asked, it is starting or ending, which is its supervisor's business.
    await look().catch(() => {});
    isLooking = false;
  }, LOOK_MS);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function cannotWrite(monitorUrl: string): Promise<boolean> {
  const response = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(LOOK_ANSWER_MS) });
  return !response.ok && /write error|JetStream.*disabled/i.test(await response.text());
}

function hasRoom(dir: string): boolean {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize >= ROOM_BYTES;
}
