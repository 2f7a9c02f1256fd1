import { randomBytes } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { FLOW } from "#contract";
import { makeEncryptionKey, SERVICE_NODE_FLAGS } from "#runtime";
import { connectNats } from "./connect-nats.ts";
import { type ServiceProcess, startServiceProcess } from "./processes.ts";
import type { Servers } from "./servers.ts";
import { readStreams, removeStreams } from "./streams.ts";
import { usingStore } from "./using-store.ts";

type SubjectName = "stampede" | "peer" | "outbox";

/** A running service that takes the workload over HTTP, with its own database. */
export interface Subject {
  readonly name: SubjectName;
  readonly url: string;
  /** Its Node processes, for reading memory and CPU time. */
  readonly processes: readonly ServiceProcess[];
  /** Events or messages that are accepted and not yet stored; always 0 without a queue. */
  queueDepth(): Promise<number>;
  stop(): Promise<void>;
}

/** The services after the edge: everything on the way from an event to its reward. */
export const UP_TO_REWARDS: readonly ServiceName[] = ["ingest", "platform", "rewards"];

/** The compiled files, from dist/bench/src/kit. */
const ROOT = new URL("../../../", import.meta.url);

type ServiceName = "edge" | "ingest" | "platform" | "rewards" | "webhooks";

/** The HTTP server of edge and platform, set for the benchmark itself; a record names it. */
export const HTTP_ADAPTER = process.env.STAMPEDE_HTTP_ADAPTER ?? "node";

/** Settings of services that share a database and have their own streams: the defaults except for ports. */
export function settingsOf(servers: Servers, database: string) {
  return {
    DATABASE_URL: servers.databaseUrl(database),
    NATS_URL: servers.nats.url,
    STAMPEDE_STREAM_PREFIX: `B${randomBytes(6).toString("hex").toUpperCase()}`,
    STAMPEDE_HTTP_ADAPTER: HTTP_ADAPTER,
    STAMPEDE_HTTP_PORT: "0",
    STAMPEDE_PLATFORM_PORT: "0",
    // Streams are purged immediately, unless `STAMPEDE_REPLAY_MINUTES` of a run measures the cost of a replay
    // window.
    STAMPEDE_REPLAY_MINUTES: process.env.STAMPEDE_REPLAY_MINUTES ?? "0",
    // A log line for each request costs either subject the same; neither writes it here.
    STAMPEDE_LOG_LEVEL: "warn",
  };
}

export function startService(
  servers: Servers,
  database: string,
  name: ServiceName,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const main = new URL(`services/${name}/src/main.js`, ROOT);
  return startServiceProcess({ name, main, env, flags: SERVICE_NODE_FLAGS, servers, database });
}

interface StampedeOptions {
  readonly servers: Servers;
  readonly database: string;
  /** Added to the environment of all services. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * The services after the edge: `ingest`, unless others are named. Without `rewards`, nothing consumes
   * ingest's messages.
   */
  readonly behind?: readonly ServiceName[];
}

export interface Stampede extends Subject {
  /** The platform's database, if it runs. */
  readonly platformUrl: string | undefined;
  /** The prefix of its streams. */
  readonly streamPrefix: string;
  /** Messages in its streams with this prefix, `INGEST` or `OUTCOMES`. */
  messagesIn(stream: string): Promise<number>;
}

/**
 * Far more than comes between two purges. NATS reserves it, and the default for three hops would be 3 GiB.
 */
const LINK_BYTES = 512 * 1024 * 1024;

/**
 * The measured part of Stampede: edge and the services after it, a process each, with default settings except
 * for the ports and the size of streams that are purged immediately (`tendStreams`).
 */
export async function startStampede(options: StampedeOptions): Promise<Stampede> {
  const { servers, database, behind = ["ingest"] } = options;
  const settings = settingsOf(servers, database);
  const streamPrefix = settings.STAMPEDE_STREAM_PREFIX;
  const env = {
    ...settings,
    STAMPEDE_ENCRYPTION_KEYS: makeEncryptionKey(new Date()),
    STAMPEDE_LINK_MAX_BYTES: String(LINK_BYTES),
    ...options.env,
  };
  const processes: ServiceProcess[] = [];
  for (const name of ["edge", ...behind] as const)
    processes.push(await startService(servers, database, name, env));
  const urlOf = (name: ServiceName) => processes.find((one) => one.name === name)?.url;
  const isConsumed = behind.includes("rewards");
  const endTending = await tendStreams(servers.nats.url, streamPrefix, { empty: !isConsumed });
  const statesOf = async (stream: string) => {
    const streams = await readStreams(servers.nats.monitorUrl, streamPrefix + stream);
    return streams.map(({ state }) => state);
  };
  const messagesIn = async (stream: string) =>
    (await statesOf(stream)).reduce((sum, { messages }) => sum + messages, 0);
  // With a replay window the streams keep the messages that ingest has applied.
  const notApplied = async () => {
    const stored = (await statesOf(FLOW.ingest.stream)).reduce((sum, { last_seq }) => sum + last_seq, 0);
    return stored - (await appliedMessages(servers.databaseUrl(database)));
  };
  return {
    name: "stampede",
    url: urlOf("edge") as string,
    platformUrl: urlOf("platform"),
    ...{ streamPrefix, messagesIn, processes },
    queueDepth: settings.STAMPEDE_REPLAY_MINUTES === "0" ? () => messagesIn(FLOW.ingest.stream) : notApplied,
    async stop() {
      // In the order of an event's path, so that each can still finish.
      for (const one of processes) await one.stop();
      await endTending();
    },
  };
}

const INTERVAL_MS = 1_000;
/** Streams that ingest fills, and the platform and rewards would consume. */
const OUTWARD = [FLOW.platformTransactions.subject, FLOW.settlement.subject];

/**
 * Purges, every second, the streams without a consumer because neither the platform nor rewards runs. Full
 * streams would make ingest wait, and the run would measure their size. Call it once the streams exist.
 * @returns a function to call after the services have ended: it removes all of the installation's streams,
 * because NATS keeps their whole size reserved and the next installation needs it
 */
async function tendStreams(
  natsUrl: string,
  prefix: string,
  options: { readonly empty: boolean },
): Promise<() => Promise<void>> {
  const nats = await connectNats(natsUrl);
  const { streams } = await jetstreamManager(nats);
  const outward: string[] = [];
  for (const subject of OUTWARD) {
    for await (const name of streams.names(`${prefix}${subject}.*`)) outward.push(name);
  }
  const empty = async (): Promise<void> => {
    // The next purge makes up for a failed one.
    for (const name of outward) await streams.purge(name).catch(() => {});
    timer = setTimeout(run, INTERVAL_MS);
  };
  let emptying = Promise.resolve();
  const run = (): void => {
    emptying = empty();
  };
  let timer = options.empty ? setTimeout(run, INTERVAL_MS) : undefined;
  return async () => {
    await emptying;
    clearTimeout(timer);
    await removeStreams(streams, prefix);
    await nats.close();
  };
}

async function removeStream(natsUrl: string, name: string): Promise<void> {
  const nats = await connectNats(natsUrl);
  await (await jetstreamManager(nats)).streams.delete(name);
  await nats.close();
}

const PEERS = new URL("../../peers/", import.meta.url);

interface PeerOptions {
  /** A folder of `bench/peers`. */
  readonly peer?: "fastify-postgres" | "fastify-reads";
  readonly servers: Servers;
  readonly database: string;
  /** Connections of each process to Postgres. */
  readonly connections: number;
  /** More than one: a cluster that shares the port. */
  readonly processes?: number;
  /** It publishes its changes through an outbox, like Stampede to the platform. */
  readonly hasOutbox?: boolean;
}

/** A peer; `fastify-postgres` unless another is named. */
export async function startPeer(options: PeerOptions): Promise<Subject> {
  const { servers, database, hasOutbox = false } = options;
  const stream = `OUTBOX_${database}`;
  const env = {
    ...(hasOutbox && { NATS_URL: servers.nats.url, OUTBOX_STREAM: stream }),
    DATABASE_URL: servers.databaseUrl(database),
    PORT: "0",
    DATABASE_CONNECTIONS: String(options.connections),
    PROCESSES: String(options.processes ?? 1),
    LOG_LEVEL: "warn",
  };
  const main = new URL(`${options.peer ?? "fastify-postgres"}/main.js`, PEERS);
  // Started as the author of such a service would.
  const flags = ["--enable-source-maps"];
  const peer = await startServiceProcess({ name: "peer", main, env, flags, servers, database });
  return {
    name: hasOutbox ? "outbox" : "peer",
    url: peer.url as string,
    processes: [peer],
    queueDepth: () => (hasOutbox ? waitingRecords(servers.databaseUrl(database)) : Promise.resolve(0)),
    async stop() {
      await peer.stop();
      if (hasOutbox) await removeStream(servers.nats.url, stream);
    },
  };
}

function appliedMessages(databaseUrl: string): Promise<number> {
  return usingStore(databaseUrl, async (store) => {
    const [{ applied }] = await store<[{ applied: number }]>`
      select coalesce(sum(applied), 0)::float8 as applied from ingest_positions
    `;
    return applied;
  });
}

function waitingRecords(databaseUrl: string): Promise<number> {
  return usingStore(databaseUrl, async (store) => {
    const [{ count }] = await store<[{ count: number }]>`select count(*)::int as count from outbox`;
    return count;
  });
}
